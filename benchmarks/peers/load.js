// Joins a page to compare.py: it is given rows and then their changes, and tells how many of them
// its grid took and how late timers and frames were meanwhile.

const BEAT_MS = 5; // as in desk_load.py

/** The columns that the desk's grid shows at first, and their kinds as Perspective names them. */
export const COLUMNS = {
    selection: "string",
    game: "string",
    kick_off: "datetime",
    market: "string",
    bookmaker: "string",
    odds: "float",
    ev: "float",
    fair: "float",
    best: "float",
    median: "float",
    spread: "float",
    reference: "float",
    books: "integer",
    seen: "datetime",
    competition: "string",
};

const socket = new WebSocket(`ws://${location.host}/changes`);
const tell = (what) => socket.send(JSON.stringify(what));
addEventListener("error", (event) => tell({ error: event.message }));
addEventListener("unhandledrejection", (event) => tell({ error: String(event.reason) }));

/**
 * Feed a grid until the page is closed.
 *
 * `open` makes the grid of columns, `take` gives it changes as the text they came as, `taken` says
 * how many changes it took so far, `pictures` how often it showed any.
 */
export function follow({ open, take, taken, pictures }) {
    socket.onmessage = async ({ data: rows }) => {
        socket.onmessage = ({ data }) => {
            if (data.startsWith("measure")) measure(Number(data.split(" ")[1]), taken, pictures);
            else take(data);
        };
        await open(JSON.parse(rows));
        tell("ready");
    };
}

async function measure(seconds, taken, pictures) {
    const [before, shown, began] = [await taken(), pictures(), performance.now()];
    tell("began");
    const late = await lateness(seconds);
    const painted = (pictures() - shown) / seconds;
    const count = (await taken()) - before; // asked first, so that its wait is in the time
    tell({ ...late, pictures: painted, taken: (count * 1000) / (performance.now() - began) });
}

/** Return the longest stall and the longest way from frame to frame, in milliseconds. */
function lateness(seconds) {
    const began = performance.now();
    let [stall, frame, beat, painted, isOver] = [0, 0, began, began, false];
    requestAnimationFrame(function each() {
        const now = performance.now();
        [frame, painted] = [Math.max(frame, now - painted), now];
        if (!isOver) requestAnimationFrame(each);
    });
    return new Promise((resolve) => {
        const timer = setInterval(() => {
            const now = performance.now();
            [stall, beat] = [Math.max(stall, now - beat - BEAT_MS), now];
            isOver = now - began > seconds * 1000;
            if (!isOver) return;
            clearInterval(timer);
            resolve({ stall, frame: Math.max(frame, now - painted) });
        }, BEAT_MS);
    });
}

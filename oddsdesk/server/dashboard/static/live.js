// Keeps a page's figures up to date, and shows times in the visitor's zone. Without it the page
// shows UTC and is reloaded by hand.
"use strict";
const state = document.getElementById("live-state");
const figures = document.getElementById("figures");
const outcomeNow = document.getElementById("outcome-now");
const QUIET_MS = 15000;
let ahead = Date.parse(state.dataset.now) - Date.now(); // how far the server's clock is ahead
let changedAt = Date.parse(state.dataset.now);
let heardAt = Date.now();
let tries = 0;
let source = null;
let timer = null;
let hasEnded = false;

const serverNow = () => Date.now() + ahead;
const short = new Intl.DateTimeFormat(undefined, {
  weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
});

function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The hour of today; else the day, too, by its name within six days.
function nearText(at) {
  const start = new Date(at), today = new Date(serverNow());
  const shown = { hour: "2-digit", minute: "2-digit" };
  if (start.toDateString() !== today.toDateString()) {
    const isNear = Math.abs(start - today) < 6 * 86400000;
    Object.assign(shown, isNear ? { weekday: "short" } : { day: "numeric", month: "short" });
  }
  return start.toLocaleString(undefined, shown);
}

// A price becomes old while the page is open: then its card says so, too.
function showAge(each, ms) {
  const isOld = ms > Number(each.dataset.old) * 1000;
  each.classList.toggle("is-old", isOld);
  put(each, isOld ? `${span(ms)}, old` : span(ms));
  if (isOld && each.closest(".card")) each.closest(".card").classList.add("is-doubtful");
}

function showTimes() {
  for (const each of figures.querySelectorAll("time[data-show]")) {
    const at = Date.parse(each.dateTime);
    each.title = `${each.dateTime} (UTC)`;
    if (each.dataset.show === "age") showAge(each, serverNow() - at);
    else put(each, each.dataset.show === "start" ? nearText(at) : short.format(at));
  }
  const linked = figures.querySelector(".outcome[data-turns]");
  if (linked && serverNow() > Date.parse(linked.dataset.turns)) {
    linked.classList.replace("good", "warn");
    put(linked, `${linked.textContent} A price has become old since.`);
    delete linked.dataset.turns;
  }
}

function showState() {
  if (!state.dataset.updates) return;
  const read = `Figures of ${nearText(changedAt)}, ${agoInSteps(serverNow() - changedAt)} old.`;
  const isLive = source !== null && source.readyState === EventSource.OPEN
    && Date.now() - heardAt < QUIET_MS;
  state.classList.toggle("is-old", !isLive);
  if (hasEnded) put(state, `Not live: your session or plan has changed. ${read}`);
  else if (isLive) put(state, "Live");
  else put(state, `Not live. ${read}`);
}

// A screen reader says each change of the state, so its age changes in coarse steps.
function agoInSteps(ms) {
  return ms < 60000 ? "under 1 min" : span(ms - (ms % 60000));
}

// What became of the price in the link; a screen reader says its changes.
function outcome() {
  const found = figures.querySelector(".outcome");
  return found ? found.textContent : "";
}

function swap(html) {
  const focus = document.activeElement;
  const focused = focus && figures.contains(focus)
    ? focus.getAttribute("href") || focus.id || focus.closest("[id]").id : "";
  const isSummary = focus && focus.tagName === "SUMMARY";
  const open = new Map(), left = new Map();
  for (const each of figures.querySelectorAll("details[id]")) open.set(each.id, each.open);
  for (const each of figures.querySelectorAll(".scroller")) left.set(each.id, each.scrollLeft);
  const made = new DOMParser().parseFromString(html, "text/html");
  const before = outcome();
  figures.replaceChildren(...made.body.childNodes);
  if (outcome() !== before) put(outcomeNow, outcome());
  for (const [id, value] of open) {
    const each = document.getElementById(id);
    if (each) each.open = value;
  }
  for (const [id, value] of left) {
    const each = document.getElementById(id);
    if (each) each.scrollLeft = value;
  }
  if (!focused) return;
  const again = [...figures.querySelectorAll("a[href], [id]")].find(
    (each) => each.getAttribute("href") === focused || each.id === focused);
  if (again) (isSummary ? again.querySelector("summary") : again).focus({ preventScroll: true });
}

function hear(event) {
  heardAt = Date.now();
  tries = 0;
  ahead = Number(event.lastEventId) - heardAt;
  changedAt = Number(event.lastEventId);
}

function connect() {
  timer = null;
  source = new EventSource(state.dataset.updates);
  source.addEventListener("figures", (event) => {
    hear(event);
    swap(event.data);
    showTimes();
    showState();
  });
  source.addEventListener("alive", (event) => { hear(event); showState(); });
  source.addEventListener("ended", () => { hasEnded = true; source.close(); showState(); });
  source.addEventListener("error", () => {
    source.close();
    showState();
    retry();
  });
}

// Twice as long after each failure, up to a minute, so that a server that is down is left alone.
function retry() {
  if (hasEnded || timer !== null || document.hidden) return;
  const wait = Math.min(60000, 1000 * 2 ** tries) * (0.5 + Math.random() / 2);
  tries += 1;
  timer = setTimeout(connect, wait);
}

document.addEventListener("visibilitychange", () => {
  if (!state.dataset.updates || hasEnded) return;
  if (document.hidden) {
    if (source) source.close();
    clearTimeout(timer);
    timer = null;
  } else {
    tries = 0;
    connect();
  }
});
const first = state.querySelector("time");
put(first, nearText(Date.parse(first.dateTime)));
showTimes();
if (state.dataset.updates && !document.hidden) connect();
setInterval(() => { showTimes(); showState(); }, 1000);

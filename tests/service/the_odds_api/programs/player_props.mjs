// A program written for The Odds API, for Node: lists sports, then the lines of each player of a game.
// The arguments are the host and a sport.

const [host, sport] = process.argv.slice(2)

async function ask(path, asked = {}) {
    const query = new URLSearchParams({ apiKey: 'YOUR_API_KEY', ...asked })
    const response = await fetch(`${host}/v4/${path}?${query}`)
    const data = await response.json()
    if (!response.ok) {
        console.log('Error status', response.status, data.error_code)
        process.exit(1)
    }
    return { data, headers: response.headers }
}

const { data: sports } = await ask('sports')
for (const each of sports) console.log(each.key, each.group, each.title)

const { data: events } = await ask(`sports/${sport}/events`)
for (const event of events) {
    console.log(event.sport_title, event.commence_time, event.home_team, 'v', event.away_team)
    const { data, headers } = await ask(`sports/${sport}/events/${event.id}/odds`, {
        regions: 'us',
        markets: 'player_points_alternate,player_points_assists',
        oddsFormat: 'american',
        dateFormat: 'unix',
    })
    for (const bookmaker of data.bookmakers) {
        for (const market of bookmaker.markets) {
            for (const { description, name, point, price } of market.outcomes) {
                console.log(bookmaker.title, market.key, description, name, point, price)
            }
        }
    }
    console.log('Remaining requests', headers.get('x-requests-remaining'))
    console.log('Used requests', headers.get('x-requests-used'))
}

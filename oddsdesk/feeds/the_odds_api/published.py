"""What The Odds API publishes: its sports with their titles, and the regions of its bookmakers.

Sports as listed in autumn 2026, without those of one winner; bookmakers as listed in May 2026.
"""

from types import MappingProxyType
from typing import Final

SPORTS: Final = MappingProxyType(
    {
        "americanfootball_cfl": "CFL",
        "americanfootball_ncaaf": "NCAAF",
        "americanfootball_ncaaf_fcs": "NCAAF FCS",
        "americanfootball_nfl": "NFL",
        "americanfootball_nfl_preseason": "NFL Preseason",
        "americanfootball_ufl": "UFL",
        "aussierules_afl": "AFL",
        "aussierules_aflw": "AFL Women's",
        "baseball_kbo": "KBO League",
        "baseball_milb": "Minor League Baseball",
        "baseball_mlb": "MLB",
        "baseball_mlb_preseason": "MLB Preseason",
        "baseball_ncaa": "NCAA Baseball",
        "baseball_npb": "NPB",
        "basketball_euroleague": "Basketball Euroleague",
        "basketball_nba": "NBA",
        "basketball_nba_all_stars": "NBA All Star",
        "basketball_nba_preseason": "NBA Preseason",
        "basketball_nba_summer_league": "NBA Summer League",
        "basketball_nbl": "NBL (Australia)",
        "basketball_ncaab": "NCAAB",
        "basketball_wnba": "WNBA",
        "basketball_wncaab": "WNCAAB",
        "boxing_boxing": "Boxing",
        "cricket_asia_cup": "Asia Cup",
        "cricket_big_bash": "Big Bash",
        "cricket_caribbean_premier_league": "Caribbean Premier League",
        "cricket_icc_trophy": "ICC Champions Trophy",
        "cricket_icc_world_cup": "ICC World Cup",
        "cricket_icc_world_cup_womens": "ICC Women's World Cup",
        "cricket_international_t20": "International Twenty20",
        "cricket_ipl": "IPL",
        "cricket_odi": "One Day Internationals",
        "cricket_psl": "Pakistan Super League",
        "cricket_t20_blast": "T20 Blast",
        "cricket_t20_world_cup": "T20 World Cup",
        "cricket_t20_world_cup_womens": "T20 Women's World Cup",
        "cricket_test_match": "Test Matches",
        "cricket_the_hundred": "The Hundred",
        "cricket_the_hundred_womens": "The Hundred - Women's",
        "handball_germany_bundesliga": "Handball-Bundesliga",
        "icehockey_ahl": "AHL",
        "icehockey_liiga": "Finnish Liiga",
        "icehockey_mestis": "Finnish Mestis",
        "icehockey_nhl": "NHL",
        "icehockey_nhl_preseason": "NHL Preseason",
        "icehockey_sweden_allsvenskan": "HockeyAllsvenskan",
        "icehockey_sweden_hockey_league": "SHL",
        "lacrosse_ncaa": "NCAA Lacrosse",
        "lacrosse_pll": "Premier Lacrosse League",
        "mma_mixed_martial_arts": "MMA",
        "rugbyleague_nrl": "NRL",
        "rugbyleague_nrl_state_of_origin": "NRL State of Origin",
        "rugbyleague_nrlw": "NRLW",
        "rugbyunion_six_nations": "Six Nations",
        "soccer_africa_cup_of_nations": "Africa Cup of Nations",
        "soccer_argentina_primera_division": "Primera División - Argentina",
        "soccer_australia_aleague": "A-League",
        "soccer_austria_bundesliga": "Austrian Football Bundesliga",
        "soccer_belgium_first_div": "Belgium First Div",
        "soccer_brazil_campeonato": "Brazil Série A",
        "soccer_brazil_serie_b": "Brazil Série B",
        "soccer_chile_campeonato": "Primera División - Chile",
        "soccer_china_superleague": "Super League - China",
        "soccer_concacaf_gold_cup": "CONCACAF Gold Cup",
        "soccer_concacaf_leagues_cup": "CONCACAF Leagues Cup",
        "soccer_conmebol_copa_america": "Copa América",
        "soccer_conmebol_copa_libertadores": "Copa Libertadores",
        "soccer_conmebol_copa_sudamericana": "Copa Sudamericana",
        "soccer_denmark_superliga": "Denmark Superliga",
        "soccer_efl_champ": "Championship",
        "soccer_england_efl_cup": "EFL Cup",
        "soccer_england_league1": "League 1",
        "soccer_england_league2": "League 2",
        "soccer_epl": "EPL",
        "soccer_fa_cup": "FA Cup",
        "soccer_fifa_club_world_cup": "FIFA Club World Cup",
        "soccer_fifa_world_cup": "FIFA World Cup",
        "soccer_fifa_world_cup_qualifiers_europe": "FIFA World Cup Qualifiers - Europe",
        "soccer_fifa_world_cup_qualifiers_south_america": (
            "FIFA World Cup Qualifiers - South America"
        ),
        "soccer_fifa_world_cup_womens": "FIFA Women's World Cup",
        "soccer_finland_veikkausliiga": "Veikkausliiga - Finland",
        "soccer_france_coupe_de_france": "Coupe de France",
        "soccer_france_ligue_one": "Ligue 1 - France",
        "soccer_france_ligue_two": "Ligue 2 - France",
        "soccer_germany_bundesliga": "Bundesliga - Germany",
        "soccer_germany_bundesliga2": "Bundesliga 2 - Germany",
        "soccer_germany_bundesliga_women": "Frauen-Bundesliga",
        "soccer_germany_dfb_pokal": "DFB-Pokal",
        "soccer_germany_liga3": "3. Liga - Germany",
        "soccer_greece_super_league": "Super League - Greece",
        "soccer_italy_coppa_italia": "Coppa Italia",
        "soccer_italy_serie_a": "Serie A - Italy",
        "soccer_italy_serie_b": "Serie B - Italy",
        "soccer_japan_j_league": "J League",
        "soccer_korea_kleague1": "K League 1",
        "soccer_league_of_ireland": "League of Ireland",
        "soccer_mexico_ligamx": "Liga MX",
        "soccer_netherlands_eredivisie": "Dutch Eredivisie",
        "soccer_norway_eliteserien": "Eliteserien - Norway",
        "soccer_poland_ekstraklasa": "Ekstraklasa - Poland",
        "soccer_portugal_primeira_liga": "Primeira Liga - Portugal",
        "soccer_russia_premier_league": "Premier League - Russia",
        "soccer_saudi_arabia_pro_league": "Saudi Pro League",
        "soccer_spain_copa_del_rey": "Copa del Rey",
        "soccer_spain_la_liga": "La Liga - Spain",
        "soccer_spain_segunda_division": "La Liga 2 - Spain",
        "soccer_spl": "Premiership - Scotland",
        "soccer_sweden_allsvenskan": "Allsvenskan - Sweden",
        "soccer_sweden_superettan": "Superettan - Sweden",
        "soccer_switzerland_superleague": "Swiss Superleague",
        "soccer_turkey_super_league": "Turkey Super League",
        "soccer_uefa_champs_league": "UEFA Champions League",
        "soccer_uefa_champs_league_qualification": "UEFA Champions League Qualification",
        "soccer_uefa_champs_league_women": "UEFA Women's Champions League",
        "soccer_uefa_euro_qualification": "UEFA Euro Qualification",
        "soccer_uefa_europa_conference_league": "UEFA Europa Conference League",
        "soccer_uefa_europa_league": "UEFA Europa League",
        "soccer_uefa_european_championship": "UEFA Euro",
        "soccer_uefa_nations_league": "UEFA Nations League",
        "soccer_usa_mls": "MLS",
        "tennis_atp_aus_open_singles": "ATP Australian Open",
        "tennis_atp_barcelona_open": "ATP Barcelona Open",
        "tennis_atp_canadian_open": "ATP Canadian Open",
        "tennis_atp_china_open": "ATP China Open",
        "tennis_atp_cincinnati_open": "ATP Cincinnati Open",
        "tennis_atp_dubai": "ATP Dubai Championships",
        "tennis_atp_french_open": "ATP French Open",
        "tennis_atp_halle_open": "ATP Halle Open",
        "tennis_atp_hamburg_open": "ATP Hamburg Open",
        "tennis_atp_indian_wells": "ATP Indian Wells",
        "tennis_atp_italian_open": "ATP Italian Open",
        "tennis_atp_madrid_open": "ATP Madrid Open",
        "tennis_atp_miami_open": "ATP Miami Open",
        "tennis_atp_monte_carlo_masters": "ATP Monte-Carlo Masters",
        "tennis_atp_munich": "ATP Munich",
        "tennis_atp_paris_masters": "ATP Paris Masters",
        "tennis_atp_qatar_open": "ATP Qatar Open",
        "tennis_atp_queens_club_champ": "ATP Queen's Club Championships",
        "tennis_atp_shanghai_masters": "ATP Shanghai Masters",
        "tennis_atp_us_open": "ATP US Open",
        "tennis_atp_washington_open": "ATP Washington Open",
        "tennis_atp_wimbledon": "ATP Wimbledon",
        "tennis_wta_aus_open_singles": "WTA Australian Open",
        "tennis_wta_bad_homburg_open": "WTA Bad Homburg Open",
        "tennis_wta_canadian_open": "WTA Canadian Open",
        "tennis_wta_charleston_open": "WTA Charleston Open",
        "tennis_wta_china_open": "WTA China Open",
        "tennis_wta_cincinnati_open": "WTA Cincinnati Open",
        "tennis_wta_dubai": "WTA Dubai Championships",
        "tennis_wta_french_open": "WTA French Open",
        "tennis_wta_german_open": "WTA German Open",
        "tennis_wta_indian_wells": "WTA Indian Wells",
        "tennis_wta_italian_open": "WTA Italian Open",
        "tennis_wta_madrid_open": "WTA Madrid Open",
        "tennis_wta_miami_open": "WTA Miami Open",
        "tennis_wta_monterrey_open": "WTA Monterrey Open",
        "tennis_wta_qatar_open": "WTA Qatar Open",
        "tennis_wta_queens_club_champ": "WTA Queen's Club Championships",
        "tennis_wta_strasbourg": "WTA Internationaux de Strasbourg",
        "tennis_wta_stuttgart_open": "WTA Stuttgart Open",
        "tennis_wta_us_open": "WTA US Open",
        "tennis_wta_washington_open": "WTA Washington Open",
        "tennis_wta_wimbledon": "WTA Wimbledon",
        "tennis_wta_wuhan_open": "WTA Wuhan Open",
    }
)
"""Their titles by key."""
_BOOKMAKERS: Final = MappingProxyType(
    {
        "us": (
            "betonlineag betmgm betrivers betus bovada draftkings fanatics fanduel lowvig"
            " mybookieag williamhill_us"
        ),
        "us2": (
            "ballybet betanysports betparx espnbet fliff hardrockbet hardrockbet_az"
            " hardrockbet_fl hardrockbet_oh rebet"
        ),
        "us_dfs": "betr_us_dfs pick6 prizepicks underdog",
        "us_ex": "betopenly kalshi novig polymarket prophetx",
        "uk": (
            "betfair_ex_uk betfair_sb_uk betfred_uk betvictor betway boylesports casumo coral"
            " grosvenor ladbrokes_uk leovegas livescorebet matchbook paddypower skybet smarkets"
            " sport888 unibet_uk virginbet williamhill"
        ),
        "eu": (
            "betanysports betclic_fr betfair_ex_eu betonlineag betsson betvictor codere_it coolbet"
            " everygame gtbets leovegas_se marathonbet matchbook mybookieag nordicbet onexbet"
            " parionssport_fr pinnacle pmu_fr sport888 suprabets tipico_de unibet_fr unibet_it"
            " unibet_nl unibet_se williamhill winamax_de winamax_fr"
        ),
        "fr": "betclic_fr netbet_fr parionssport_fr pmu_fr unibet_fr winamax_fr",
        "se": (
            "atg_se betinia_se betmgm_se betsson campobet_se expekt_se hajper_se leovegas_se"
            " mrgreen_se nordicbet sport888_se svenskaspel_se unibet_se"
        ),
        "au": (
            "bet365_au betfair_ex_au betr_au betright boombet dabble_au ladbrokes_au neds playup"
            " pointsbetau sportsbet tab tabtouch unibet"
        ),
    }
)
REGIONS: Final = frozenset(_BOOKMAKERS)


def regions_of_key(key: str) -> frozenset[str]:
    """Return the regions of a bookmaker of theirs; empty if they do not list it."""
    return frozenset(region for region, keys in _BOOKMAKERS.items() if key in keys.split())

"""An open game that becomes part of another gives way to that one (D69)."""


def test_the_tab_of_a_merged_game_shows_the_one_game(desk, quoted) -> None:
    made, _ = desk
    made.games.close_all()
    made.games.open_in_new_tab("merged away", "Everton Toffees v Liverpool Reds")
    quoted.board.merge_game("merged away", quoted.id)
    assert made.games.open_games == [quoted.id]
    assert made.window.tabs.tabText(made.window.tabs.currentIndex()) == "Everton v Liverpool"

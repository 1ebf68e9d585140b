from highwaygraph.data.tables.read_log import Reading, listed


def test_what_does_not_occur_is_not_told() -> None:
    reading = Reading()
    reading.find("odd things", [], 0, "left out")
    assert reading.findings == []
    reading.find("odd things", (f"thing {i}" for i in range(9)), 9, "left out")
    assert str(reading.findings[0]) == "9 odd things (thing 0, thing 1, thing 2, ...): left out"
    reading.find("long things", ["x" * 99], 1, "cut")
    assert len(reading.findings[1].examples[0]) == 40


def test_names_are_listed() -> None:
    assert listed([]) == "none"
    assert listed("ab") == "'a', 'b'"
    assert listed(range(10), most=2) == "'0', '1' and more"

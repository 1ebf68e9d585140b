from highwaygraph.data.tables.read_log import ReadLog, quote_list


def test_what_does_not_occur_is_not_told() -> None:
    reading = ReadLog()
    reading.find("odd things", [], 0, "left out")
    assert reading.findings == []
    reading.find("odd things", (f"thing {i}" for i in range(9)), 9, "left out")
    assert str(reading.findings[0]) == "9 odd things (thing 0, thing 1, thing 2, ...): left out"
    reading.find("long things", ["x" * 99], 1, "cut")
    assert len(reading.findings[1].examples[0]) == 40


def test_names_are_listed() -> None:
    assert quote_list([]) == "none"
    assert quote_list("ab") == "'a', 'b'"
    assert quote_list(range(10), most=2) == "'0', '1' and more"

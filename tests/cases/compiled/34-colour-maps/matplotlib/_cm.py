_red_data = {"red": 1}
datad = {"Reds": _red_data, "jet": _red_data}
datad["cool"] = {"listed": 2}

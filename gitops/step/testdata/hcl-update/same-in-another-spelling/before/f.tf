a = "\u0041"
b = "old"

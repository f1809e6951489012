a = "\u0041"
b = "new"

enabled = !true

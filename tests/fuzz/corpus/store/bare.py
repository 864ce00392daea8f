x1 = hmirror(I)
O = vmirror(x1)

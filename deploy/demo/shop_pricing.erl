-module(shop_pricing).
-export([new_quote/0, quote/2]).

new_quote() -> quote(20000, 1).

quote(0, Price) -> Price;
quote(Items, Price) -> quote(Items - 1, (Price * 69069 + 12345) band 16#7fffffff).

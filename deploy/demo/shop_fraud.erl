-module(shop_fraud).
-export([check_order/0, score/2]).

check_order() -> score(3000, 17).

score(0, Seed) -> Seed rem 7;
score(Step, Seed) ->
    Weight = (Seed * 48271) rem 2147483647,
    Weight rem 13 + score(Step - 1, Weight).

-module(shop_search).
-export([new_search/0, rank/2]).

new_search() -> rank([{(I * 7919) rem 1009, I} || I <- lists:seq(1, 400)], []).

%% Insertion sort: slow on purpose, nearly all of it in place/2.
rank([], Ranked) -> Ranked;
rank([Hit | Hits], Ranked) -> rank(Hits, place(Hit, Ranked)).

place(Hit, [Better | Rest]) when Better < Hit -> [Better | place(Hit, Rest)];
place(Hit, Rest) -> [Hit | Rest].

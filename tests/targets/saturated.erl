%% One scheduler's worth of mixed work, counted: what a profiler beside the VM takes from it shows.
%%
%% turns MS: how many turns of the work fitted into MS milliseconds
-module(saturated).
-export([start/1, handle/2]).

start([]) -> none.

handle(["turns", Ms], State) ->
    Self = self(),
    Until = erlang:monotonic_time(millisecond) + list_to_integer(Ms),
    Worker = spawn_link(fun() -> Self ! {self(), turns(Until, 0)} end),
    receive {Worker, Turns} -> {Turns, State} end.

turns(Until, N) ->
    _ = turn(),
    case erlang:monotonic_time(millisecond) < Until of
        true -> turns(Until, N + 1);
        false -> N + 1
    end.

%% Arithmetic, body recursion with garbage, BIFs, a copy to another process: about 100 us.
turn() ->
    Sorted = lists:sort([(I * 7919) rem 1009 || I <- lists:seq(1, 200)]),
    Term = maps:from_list([{K, {K, Sorted}} || K <- lists:seq(1, 5)]),
    self() ! Term,
    receive Term -> erlang:phash2(sum(Sorted)) + arithmetic(3000, 1) end.

sum([]) -> 0;
sum([X | Rest]) -> X + sum(Rest).

arithmetic(0, X) -> X;
arithmetic(N, X) -> arithmetic(N - 1, (X * 69069 + 12345) band 16#7fffffff).

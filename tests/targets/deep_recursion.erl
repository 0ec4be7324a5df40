%% Stacks with a known shape; the time is spent in burn/2 (or in the tail loops), so that the shape
%% stands still while it is sampled. Each command takes about MS milliseconds of CPU time in a process
%% of its own and answers the microseconds that passed.
%%
%% deep MS: burn at the bottom of a body recursion 200,000 frames deep | nested MS: outer, middle,
%% inner, burn | tail MS: two functions that tail-call each other under a caller that waits
-module(deep_recursion).
-export([start/1, handle/2]).
-export([descend/2, burn/2, outer/1, middle/1, inner/1, tail_caller/1, ping/2, pong/2]).

-define(DEPTH, 200000).

start([]) ->
    {Before, _} = erlang:statistics(runtime),
    burn(100000000, 1),
    {After, _} = erlang:statistics(runtime),
    100000000 div max(1, After - Before).

handle([Shape, Ms], LoopsPerMs) ->
    Loops = LoopsPerMs * list_to_integer(Ms),
    Work = case Shape of
               "deep" -> fun() -> descend(?DEPTH, Loops) end;
               "nested" -> fun() -> outer(Loops) end;
               "tail" -> fun() -> tail_caller(Loops) end
           end,
    Self = self(),
    %% A heap that already holds the stack: no collection happens at depth.
    spawn_opt(fun() ->
                      {Microseconds, _} = timer:tc(Work),
                      Self ! {done, Microseconds}
              end, [link, {min_heap_size, 4000000}]),
    receive {done, Microseconds} -> {Microseconds, LoopsPerMs} end.

descend(0, Loops) -> burn(Loops, 1);
descend(N, Loops) -> 1 + descend(N - 1, Loops).

burn(0, X) -> X;
burn(N, X) -> burn(N - 1, (X * 69069 + 12345) band 16#7fffffff).

outer(Loops) -> 1 + middle(Loops).
middle(Loops) -> 2 + inner(Loops).
inner(Loops) -> 3 + burn(Loops, 1).

tail_caller(Loops) -> 1 + ping(Loops, 1).

ping(0, X) -> X;
ping(N, X) -> pong(N - 1, (X * 69069 + 12345) band 16#7fffffff).

pong(0, X) -> X;
pong(N, X) -> ping(N - 1, (X * 48271 + 54321) band 16#7fffffff).

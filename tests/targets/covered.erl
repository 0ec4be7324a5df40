%% A loop whose lines are known: the test reads these marks.
%% `seen`: most of the time is spent there or under there. `never`: it does not run.
-module(covered).
-export([start/1, handle/2, not_called/1]).

start(_) -> spawn(fun() -> loop(1) end).

handle(_, Loop) -> {ok, Loop}.

loop(N) ->
    Sum = adds_up(200000, N), % seen
    List = builds(20000), % seen
    case Sum + length(List) of
        0 -> not_called(N); % never
        _ -> ok
    end,
    loop(Sum band 15).

%% Tail calls: once on the stack.
adds_up(0, X) -> X;
adds_up(N, X) -> adds_up(N - 1, (X * 69069 + 12345) band 16#7fffffff). % seen

builds(N) ->
    Numbers = lists:seq(1, N), % seen
    lists:map(fun(A) -> A bxor 1 end, Numbers).

not_called(N) ->
    Text = integer_to_list(N), % never
    list_to_atom(Text). % never

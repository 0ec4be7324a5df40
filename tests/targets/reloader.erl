%% A module `hot` that is replaced many times while it runs. Version N holds vN_work/2 and
%% vN_burst/2, and pads vN_pad_K/1 of random size around them that nobody ever calls; every second
%% version is loaded and never run at all. So a sample in a pad, or in an even version, is a wrong
%% name beyond doubt, and the time of each odd version is known from inside.
%%
%% A worker stays in version N (odd) while N+1 is loaded over it: what it runs is then old code.
%%
%% reload COUNT MS: COUNT versions, one each MS milliseconds; answers when done
%% versions: [[N, microseconds that N was running], ...], 0 for those never run
-module(reloader).
-export([start/1, handle/2]).

start([]) -> {1, []}.

handle(["reload", Count, Ms], {First, Known}) ->
    Flag = atomics:new(1, []),
    Self = self(),
    Worker = spawn_link(fun() -> worker(Flag, Self) end),
    Last = First + list_to_integer(Count) - 1,
    Start = erlang:monotonic_time(millisecond),
    Ran = reload(First, Last, Flag, Worker, Start, list_to_integer(Ms), First, []),
    Worker ! stop,
    {ok, {Last + 1, Known ++ Ran}};
handle(["versions"], {_, Known} = State) -> {Known, State}.

reload(N, Last, _Flag, _Worker, _Start, _Ms, _First, Ran) when N > Last -> lists:reverse(Ran);
reload(N, Last, Flag, Worker, Start, Ms, First, Ran) ->
    Code = version(N),
    Runs = N rem 2 =:= 1,
    Left = case Runs of
               true -> leave(Flag);  % the worker must be out of N-2 before that is purged
               false -> []
           end,
    code:purge(hot),
    {module, hot} = code:load_binary(hot, "hot.erl", Code),
    case Runs of
        true -> atomics:put(Flag, 1, N), Worker ! {run, N};
        false -> ok
    end,
    Due = Start + (N - First + 1) * Ms,
    timer:sleep(max(0, Due - erlang:monotonic_time(millisecond))),
    Ended = case N of
                Last -> Left ++ leave(Flag);
                _ -> Left
            end,
    Loaded = [[N, 0] || not Runs],
    reload(N + 1, Last, Flag, Worker, Start, Ms, First, Ended ++ Loaded ++ Ran).

leave(Flag) ->
    case atomics:exchange(Flag, 1, 0) of
        0 -> [];
        N -> receive {left, N, Microseconds} -> [[N, Microseconds]] end
    end.

worker(Flag, Reloader) ->
    receive
        {run, N} ->
            Work = list_to_existing_atom("v" ++ integer_to_list(N) ++ "_work"),
            {Microseconds, _} = timer:tc(hot, Work, [Flag, 1]),
            Reloader ! {left, N, Microseconds},
            worker(Flag, Reloader);
        stop -> ok
    end.

version(N) ->
    V = "v" ++ integer_to_list(N),
    Before = [pad(V, K) || K <- lists:seq(1, rand:uniform(12))],
    After = [pad(V, K) || K <- lists:seq(100, 100 + rand:uniform(12))],
    Text = [[V, "_work(Flag, X) ->\n"
             " case atomics:get(Flag, 1) of\n  ", integer_to_list(N), " -> ",
             V, "_work(Flag, ", V, "_burst(100000, X));\n  _ -> X\n end.\n"],
            [V, "_burst(0, X) -> X;\n",
             V, "_burst(N, X) -> ", V, "_burst(N - 1, (X * ", integer_to_list(16807 + N),
             " + 12345) band 16#7fffffff).\n"]],
    Forms = [form("-module(hot).\n"), form("-compile(export_all).\n") |
             [form(F) || F <- Before ++ Text ++ After]],
    {ok, hot, Code} = compile:forms(Forms, [nowarn_export_all]),
    Code.

pad(V, K) ->
    Terms = [["X * ", integer_to_list(I + 1), " + "] || I <- lists:seq(1, rand:uniform(30))],
    [V, "_pad_", integer_to_list(K), "(X) -> ", Terms, "0.\n"].

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(lists:flatten(Text)),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

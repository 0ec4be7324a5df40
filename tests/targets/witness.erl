%% A VM that gives its own account of everything that can be read from outside (tests/live).
%%
%% functions: [[module, [[function, arity], ...]], ...] of all that is loaded
%% processes: [[number, serial], ...] | registered: [[name, number, serial], ...]
%% stacks: [[number, serial, [[module, function, arity, file, line], ...]], ...], file null when the
%%   VM knows none
%% atoms NAME ...: makes these atoms (UTF-8 in hexadecimal); how many the VM has
%% give_up: has the VM stage a change of code and give it up, as it does when there is nothing to do
%% load N [N ...]: version N of module `hot` in place of the last one; its functions. Versions differ
%%   in nothing but the names of their functions.
-module(witness).
%% A file name of its own, so that its lines are not those of the default "witness.erl".
-file("tests/targets/witness.erl", 13).
-export([start/1, handle/2, outer/1, never/0]).

start([]) ->
    erlang:system_flag(backtrace_depth, 1000),
    Self = self(),
    Waiter = spawn_link(fun() -> outer(Self) end),
    register('witness_größe', Waiter),
    receive ready -> none end.

%% A stack of known shape: nothing here is a tail call.
outer(Parent) ->
    Result = middle(Parent, [a, 1.5, <<"binary">>]),
    {outer, Result}.

middle(Parent, List) ->
    try
        [inner(Parent, Element) || Element <- List]
    catch
        throw:Thrown -> Thrown
    end.

inner(Parent, Element) ->
    Folded = lists:foldl(fun(X, Sum) -> {wait(Parent, X), Sum} end, Element, [1, 2]),
    {inner, Folded}.

wait(Parent, X) ->
    Parent ! ready,
    receive
        {stop, X} -> never()
    end.

never() -> never.

handle(["functions"], State) ->
    {[[M, [[F, A] || {F, A} <- M:module_info(functions)]] || {M, _} <- code:all_loaded()], State};
handle(["processes"], State) ->
    {[identity(P) || P <- processes()], State};
handle(["registered"], State) ->
    {[[N | identity(whereis(N))] || N <- registered(), is_pid(whereis(N))], State};
handle(["stacks"], State) ->
    {[identity(P) ++ [frames(P)] || P <- processes(), P =/= self(), not is_terminal(P)], State};
handle(["atoms" | Names], State) ->
    lists:foreach(fun(N) -> binary_to_atom(<<(list_to_integer(N, 16)):(length(N) * 4)>>, utf8) end, Names),
    {erlang:system_info(atom_count), State};
handle(["give_up"], State) ->
    undefined = erlang:delete_module(no_such_module),
    {ok, State};
handle(["load" | Versions], State) ->
    {lists:last([load(V) || V <- Versions]), State}.

%% These work between our answer and the next request.
is_terminal(Pid) ->
    case process_info(Pid, registered_name) of
        {registered_name, Name} -> lists:prefix("user", atom_to_list(Name));
        _ -> false
    end.

identity(Pid) ->
    ["<0", Number, Serial] = string:lexemes(pid_to_list(Pid), ".>"),
    [list_to_integer(Number), list_to_integer(Serial)].

frames(Pid) ->
    case process_info(Pid, current_stacktrace) of
        {current_stacktrace, Frames} -> [frame(F) || F <- Frames];
        undefined -> []
    end.

frame({M, F, A, Info}) ->
    case Info of
        [{file, File}, {line, Line} | _] -> [M, F, A, unicode:characters_to_binary(File), Line];
        _ -> [M, F, A, undefined, 0]
    end.

load(Version) ->
    Name = list_to_atom("v" ++ Version ++ "_twin"),
    Forms = [{attribute, 1, module, hot}, {attribute, 1, export, [{Name, 1}]},
             {function, 1, Name, 1,
              [{clause, 1, [{var, 1, 'X'}], [], [{op, 1, '+', {var, 1, 'X'}, {integer, 1, 1}}]}]}],
    {ok, hot, Code} = compile:forms(Forms, []),
    code:purge(hot),
    {module, hot} = code:load_binary(hot, "hot.erl", Code),
    [[F, A] || {F, A} <- hot:module_info(functions)].

%% The line between a test and its VM: one request per line on stdin, one JSON object per line on
%% stdout. The VM's first line is {"ready": ...}; it ends when its stdin does, so it never outlives
%% the test.
%%
%% erl -noshell -s puppet main MODULE [ARGUMENT ...]; MODULE exports start([string()]) -> State and
%% handle([string()], State) -> {Reply, State}. `eval EXPRESSION.` is answered for every module.
-module(puppet).
-export([main/1]).

main([Module | Arguments]) ->
    State = Module:start([atom_to_list(A) || A <- Arguments]),
    say(#{ready => #{pid => list_to_integer(os:getpid()),
                     otp_release => list_to_binary(erlang:system_info(otp_release)),
                     schedulers => erlang:system_info(schedulers_online)}}),
    loop(Module, State).

loop(Module, State) ->
    case io:get_line("") of
        Line when is_list(Line) ->
            {Reply, Next} = answer(Module, string:trim(Line), State),
            say(#{reply => Reply}),
            loop(Module, Next);
        _ ->
            erlang:halt(0, [{flush, false}])
    end.

answer(_Module, "eval " ++ Expression, State) ->
    {ok, Tokens, _} = erl_scan:string(Expression),
    {ok, Forms} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Forms, []),
    {Value, State};
answer(Module, Line, State) ->
    Module:handle(string:lexemes(Line, " "), State).

say(Term) -> io:put_chars([json(Term), $\n]).

json(Map) when is_map(Map) ->
    Pairs = [[$", key(K), $", $:, json(V)] || {K, V} <- maps:to_list(Map)],
    [${, lists:join($,, Pairs), $}];
json(List) when is_list(List) -> [$[, lists:join($,, [json(E) || E <- List]), $]];
json(Tuple) when is_tuple(Tuple) -> json(tuple_to_list(Tuple));
json(Integer) when is_integer(Integer) -> integer_to_list(Integer);
json(Float) when is_float(Float) -> io_lib:format("~.9e", [Float]);
json(Binary) when is_binary(Binary) -> [$", escape(Binary), $"];
json(true) -> "true";
json(false) -> "false";
json(undefined) -> "null";
json(Atom) when is_atom(Atom) -> json(atom_to_binary(Atom, utf8));
json(Other) -> json(iolist_to_binary(io_lib:format("~p", [Other]))).

key(Key) when is_atom(Key) -> escape(atom_to_binary(Key, utf8));
key(Key) when is_integer(Key) -> integer_to_list(Key);
key(Key) when is_binary(Key) -> escape(Key).

%% Everything outside printable ASCII as \u escapes, so that no encoding setting of the VM matters.
escape(Binary) -> [escaped(C) || C <- unicode:characters_to_list(Binary)].

escaped(C) when C =:= $"; C =:= $\\ -> [$\\, C];
escaped(C) when C >= 32, C < 127 -> C;
escaped(C) when C < 16#10000 -> io_lib:format("\\u~4.16.0b", [C]);
escaped(C) ->
    V = C - 16#10000,
    io_lib:format("\\u~4.16.0b\\u~4.16.0b", [16#D800 bor (V bsr 10), 16#DC00 bor (V band 16#3FF)]).

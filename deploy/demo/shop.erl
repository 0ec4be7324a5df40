%% A small web shop that sells nothing: a VM with known hot functions for the quickstart and the
%% dashboards. Each worker does a fixed amount of work every 200 ms; all workers together use half a
%% core. The amount is measured before the shop opens, because a worker that watched the clock would
%% do less whenever others hold its scheduler. The workers are measured in turns: when the machine is
%% slow for a moment, it is slow for all of them, and their shares stay the same.
%%
%%   shop_pricing:quote/2    30 ms  pure Erlang arithmetic
%%   shop_search:place/2     20 ms  body recursion over lists, garbage
%%   shop_fraud:score/2      15 ms  deep body recursion
%%   shop_sessions:sign/1    15 ms  a NIF (crypto:hash)
%%   shop_events:publish/1   10 ms  big terms copied to another process
%%   shop_images:refill/1     5 ms  binaries of mixed sizes, every second one dropped
%%
%% Started as: erl -noinput -s shop main [READY_FIFO]
-module(shop).
-export([main/0, main/1, worker/2]).

main() -> main([]).

main(Arguments) ->
    Archive = spawn_link(shop_events, archive, []),
    register(shop_archive, Archive),
    Workers = [start(shop_pricing_1, 30, fun shop_pricing:new_quote/0),
               start(shop_search_1, 20, fun shop_search:new_search/0),
               start(shop_fraud_1, 15, fun shop_fraud:check_order/0),
               start(shop_sessions_1, 15, fun shop_sessions:renew/0),
               start(shop_events_1, 10, fun shop_events:announce/0),
               start(shop_images_1, 5, fun shop_images:visit/0)],
    [try_out(Worker) || _ <- lists:seq(1, 12), Worker <- Workers],
    [Worker ! open || Worker <- Workers],
    [ok = file:write_file(atom_to_list(Fifo), "ready\n") || Fifo <- Arguments].

try_out(Worker) ->
    Worker ! {try_out, self()},
    receive {tried, Worker} -> ok end.

start(Name, Share, Step) ->
    Worker = spawn_link(fun() -> apprentice(Share, Step, {0, 0}) end),
    register(Name, Worker),
    Worker.

%% Before the shop opens it works whenever it is told to, to measure its speed. Then it becomes a worker.
apprentice(Share, Step, {Steps, Used}) ->
    receive
        {try_out, Shop} ->
            {MoreSteps, MoreUsed} = try_out(Step, cpu_ms(), 0),
            Shop ! {tried, self()},
            apprentice(Share, Step, {Steps + MoreSteps, Used + MoreUsed});
        open ->
            worker(max(1, round(Share * Steps / Used)), Step)
    end.

%% Measures CPU time, because on a busy machine the clock advances more than the work.
try_out(Step, Start, Steps) ->
    Step(),
    case cpu_ms() - Start of
        Used when Used >= 15 -> {Steps + 1, Used};
        _ -> try_out(Step, Start, Steps + 1)
    end.

cpu_ms() -> element(1, erlang:statistics(runtime)).

%% Does the work of one period of 200 ms, then waits for the next period.
worker(Steps, Step) ->
    Start = erlang:monotonic_time(millisecond),
    work(Steps, Step),
    timer:sleep(max(1, Start + 200 - erlang:monotonic_time(millisecond))),
    ?MODULE:worker(Steps, Step).

work(0, _) -> ok;
work(Steps, Step) ->
    Step(),
    work(Steps - 1, Step).

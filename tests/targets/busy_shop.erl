%% The demo shop (deploy/demo, on the code path) and beside it something of all that a dashboard has a
%% panel for: a mailbox that grows, a NIF that holds its scheduler, dirty schedulers, a port, a table
%% that grows, holes in carriers (`holes MIB`: so many more).
-module(busy_shop).
-export([start/1, handle/2, keep/2]).

start(_) ->
    shop:main(),
    register(shop_clerk, spawn(fun() -> receive never -> ok end end)),
    [shop_clerk ! order || _ <- lists:seq(1, 10001)],
    spawn(?MODULE, keep, [100, fun() -> [shop_clerk ! order || _ <- lists:seq(1, 20)] end]),
    Large = 1 bsl 6000 - 1,
    spawn(?MODULE, keep, [400, fun() -> crypto:mod_pow(3, Large, Large) end]),
    spawn(?MODULE, keep, [1000, fun() -> crypto:generate_key(rsa, {2048, 65537}) end]),
    spawn(?MODULE, keep, [300, fun() -> {ok, _} = file:read_file(code:which(lists)) end]),
    spawn(fun talk/0),
    spawn(fun() ->
                  Table = ets:new(shop_visits, [public]),
                  keep(50, fun() -> ets:insert(Table, [{erlang:unique_integer(), lists:seq(1, 20)} || _ <- lists:seq(1, 50)]) end)
          end),
    memory:start([]).

handle(["holes", MiB], State) -> memory:handle(["fragment", "binary_alloc", MiB], State).

keep(Pause, Step) ->
    Step(),
    timer:sleep(Pause),
    ?MODULE:keep(Pause, Step).

talk() ->
    Port = open_port({spawn, "cat"}, [binary]),
    keep(200, fun() ->
                      port_command(Port, binary:copy(<<"order ">>, 200)),
                      receive {Port, {data, _}} -> ok end
              end).

# An Elixir program under load: a GenServer that is asked, a Task that works all the time, a struct protocol.
#
# elixir elixir_shop.exs

defmodule Shop.Price do
  defstruct cents: 0
end

defimpl String.Chars, for: Shop.Price do
  def to_string(price), do: "#{div(price.cents, 100)}.#{rem(price.cents, 100)}"
end

defmodule Shop.Stock do
  use GenServer

  def start_link(items), do: GenServer.start_link(__MODULE__, items, name: __MODULE__)
  def count(item), do: GenServer.call(__MODULE__, {:count, item})

  @impl true
  def init(items), do: {:ok, Map.new(1..items, &{&1, List.duplicate(&1, 10)})}

  @impl true
  def handle_call({:count, item}, _from, stock), do: {:reply, length(Map.fetch!(stock, item)), stock}
end

defmodule Shop.Worker do
  def loop!(round) do
    sum = Enum.reduce(1..50_000, 0, fn n, sum -> rem(sum * 31 + n, 65_521) end)
    _ = "#{%Shop.Price{cents: sum}}"
    _ = Shop.Stock.count(rem(round, 1000) + 1)
    loop!(round + 1)
  end
end

{:ok, _} = Shop.Stock.start_link(20_000)
spawn(fn -> Process.register(self(), Shop.Idle); receive do: (:stop -> :ok) end)
spawn(fn -> Process.register(self(), :busy_worker); Shop.Worker.loop!(0) end)
IO.puts("ready #{System.pid()}")
Process.sleep(:infinity)

"""A load for RabbitMQ: one AMQP 0-9-1 connection that publishes and one that consumes.

It has only the part of the protocol that a load needs: frames are made once and sent many times, and deliveries are
counted but not decoded.
"""

import socket
import struct
import threading

METHOD, HEADER, BODY, END = 1, 2, 3, b"\xce"
BASIC_DELIVER = struct.pack(">HH", 60, 60)


def frame(kind, channel, payload):
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + END


def short(text):
    data = text.encode()
    return bytes([len(data)]) + data


def method(channel, class_id, method_id, arguments=b""):
    return frame(METHOD, channel, struct.pack(">HH", class_id, method_id) + arguments)


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._input = self.socket.makefile("rb")
        self.socket.sendall(b"AMQP\x00\x00\x09\x01")
        self.expect(10, 10)  # start
        response = b"\x00guest\x00guest"
        self.socket.sendall(method(0, 10, 11, struct.pack(">I", 0) + short("PLAIN")
                                   + struct.pack(">I", len(response)) + response + short("en_US")))
        tune = self.expect(10, 30)
        channels, frame_size, _ = struct.unpack(">HIH", tune[:8])
        self.socket.sendall(method(0, 10, 31, struct.pack(">HIH", channels, frame_size, 0)))
        self.socket.sendall(method(0, 10, 40, short("/") + short("") + b"\x00"))
        self.expect(10, 41)
        self.call(20, 10, short(""), 20, 11)  # channel 1

    def read_frame(self):
        kind, channel, size = struct.unpack(">BHI", self._input.read(7))
        payload = self._input.read(size)
        assert self._input.read(1) == END, "not a frame end"
        return kind, channel, payload

    def expect(self, class_id, method_id):
        while True:
            kind, _, payload = self.read_frame()
            if kind == METHOD and payload[:4] == struct.pack(">HH", class_id, method_id):
                return payload[4:]
            assert payload[:4] not in (struct.pack(">HH", 10, 50), struct.pack(">HH", 20, 40)), payload

    def call(self, class_id, method_id, arguments, answer_class, answer_method):
        self.socket.sendall(method(1, class_id, method_id, arguments))
        return self.expect(answer_class, answer_method)

    def declare(self, queue):
        self.call(50, 10, b"\x00\x00" + short(queue) + b"\x00" + struct.pack(">I", 0), 50, 11)

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Load:
    """Publishes `size` byte messages to one queue and consumes them, until stopped."""

    def __init__(self, port, queue="load", size=512):
        self.published = self.delivered = 0
        self.failures = []
        self._stop = threading.Event()
        self._consumer, self._publisher = Connection(port), Connection(port)
        self._publisher.declare(queue)
        self._consumer.call(60, 20, b"\x00\x00" + short(queue) + short("") + b"\x02" + struct.pack(">I", 0), 60, 21)
        message = (method(1, 60, 40, b"\x00\x00" + short("") + short(queue) + b"\x00")
                   + frame(HEADER, 1, struct.pack(">HHQH", 60, 0, size, 0)) + frame(BODY, 1, b"x" * size))
        self._batch = message * 50
        self._threads = [threading.Thread(target=self._run, args=(work,), daemon=True)
                         for work in (self._publish, self._consume)]
        for thread in self._threads:
            thread.start()

    def _run(self, work):
        try:
            work()
        except OSError as failure:
            if not self._stop.is_set():
                self.failures.append(repr(failure))

    def _publish(self):
        while not self._stop.is_set():
            # The backlog is bounded: the load is for the broker's CPU, not for its memory.
            if self.published - self.delivered > 20000:
                self._stop.wait(0.01)
                continue
            self._publisher.socket.sendall(self._batch)
            self.published += 50

    def _consume(self):
        while not self._stop.is_set():
            data = self._consumer.socket.recv(1 << 18)
            if not data:
                raise OSError("the broker closed the consumer's connection")
            self.delivered += data.count(BASIC_DELIVER)

    def stop(self):
        self._stop.set()
        for connection in (self._consumer, self._publisher):
            connection.close()
        for thread in self._threads:
            thread.join(10)

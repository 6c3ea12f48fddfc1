--- The queue of bytes to be sent on one connection: frames are masked and handed to the host in small slices.
if jit then jit.off(true, true) end
local bits = require 'causeway.bits'
local websocket = require 'causeway.websocket'

local outbox = {}

--- Masked in one go: a multiple of four, and little enough that a slice costs a fraction of a millisecond.
local SLICE = 4096

--- `send(bytes)` is the host's: it answers how many bytes it took, or nil and an error.
function outbox.create(send, random)
  local waiting, first, last = {}, 1, 0
  local slice, taken = '', 0
  local self = { unsent = 0 }

  local function push(item, size)
    last = last + 1
    waiting[last] = item
    self.unsent = self.unsent + size
  end

  --- Bytes as they are.
  function self.raw(bytes) push({ bytes = bytes, at = 1 }, #bytes) end

  --- A text frame.
  function self.text(payload)
    local mask = random(4)
    local head = websocket.head(websocket.TEXT, #payload, mask)
    push({ bytes = head, at = 1 }, #head)
    push({ bytes = payload, at = 1, mask = mask }, #payload)
  end

  local function next_slice()
    local item = waiting[first]
    if not item then return false end
    local bytes = item.bytes:sub(item.at, item.at + SLICE - 1)
    item.at = item.at + #bytes
    slice, taken = item.mask and bits.mask(bytes, item.mask) or bytes, 0
    if item.at > #item.bytes then
      waiting[first] = nil
      first = first + 1
    end
    return true
  end

  --- Sends until the host takes no more or the time is over. Nil and an error when the connection is lost.
  function self.flush(is_over)
    repeat
      while taken >= #slice do
        if not next_slice() then return true end
      end
      local count, problem = send(taken == 0 and slice or slice:sub(taken + 1))
      if not count then return nil, problem end
      taken = taken + count
      self.unsent = self.unsent - count
    until count == 0 and taken < #slice or is_over()
    return true
  end

  return self
end

return outbox

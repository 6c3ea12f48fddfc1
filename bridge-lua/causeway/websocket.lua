--- The wire format of RFC 6455 for a client: the handshake as text, and frames as bytes. It knows no socket.
if jit then jit.off(true, true) end
local bits = require 'causeway.bits'
local digest = require 'causeway.digest'
local unicode = require 'causeway.unicode'

local websocket = {}

local byte, char, floor, sub = string.byte, string.char, math.floor, string.sub
local GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
local TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
--- Over this many bytes a message is not even read to be skipped.
local ABSURD = 16777216
local HEAD_BYTES = 16384

--- The parts of a `ws:` or `wss:` address. Nil and the reason if it is none.
function websocket.parse_url(url)
  local scheme, rest = tostring(url):match '^(wss?)://([^#]+)'
  if not scheme then return nil, 'url: not a ws: or wss: address' end
  local authority, path = rest:match '^([^/?]+)(.*)$'
  if not authority or authority:find '@' then return nil, 'url: there is no host in it, or a name before it' end
  local host, port = authority:match '^%[([%x:.]+)%]:?(%d*)$'
  if not host then host, port = authority:match '^([^:]+):?(%d*)$' end
  if not host then return nil, 'url: the host cannot be read' end
  if url:find '[%z\1-\32\127-\255]' then return nil, 'url: there is a space or a control character in it' end
  local number = tonumber(port) or (scheme == 'wss' and 443 or 80)
  if number < 1 or number > 65535 then return nil, 'url: a port lies between 1 and 65535' end
  if path == '' or sub(path, 1, 1) == '?' then path = '/' .. path end
  return { host = host, port = number, secure = scheme == 'wss', path = path, authority = authority }
end

--- The request that asks for the upgrade, and the answer that its key demands.
function websocket.request(address, token, random)
  local key = digest.base64(random(16))
  local lines = {
    'GET ' .. address.path .. ' HTTP/1.1', 'Host: ' .. address.authority, 'Connection: Upgrade', 'Upgrade: websocket',
    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' .. key, 'Sec-WebSocket-Protocol: causeway.v1',
    'Authorization: Bearer ' .. token, '', '',
  }
  return table.concat(lines, '\r\n'), digest.base64(digest.sha1(key .. GUID))
end

--- Reads the head of an HTTP answer: `status`, `headers` (names in lower case) and `rest`, the bytes after it. Nil: more
--- is needed. False: it is no HTTP.
function websocket.read_answer(bytes)
  local stop, after = bytes:find('\r\n\r\n', 1, true)
  if not stop then
    if #bytes > HEAD_BYTES or not ('HTTP/1.1 '):find(sub(bytes, 1, 9), 1, true) then return false end
    return nil
  end
  local status = bytes:match '^HTTP/1%.[01] (%d%d%d)[ \r]'
  if not status then return false end
  local headers = {}
  for name, value in sub(bytes, 1, stop + 1):gmatch '\r\n([^:\r\n]+):[ \t]*([^\r\n]*)' do
    headers[name:lower()] = (value:gsub('%s+$', ''))
  end
  return { status = tonumber(status), headers = headers, rest = sub(bytes, after + 1) }
end

--- Nil if a 101 is that of a hub, else what is wrong with it.
function websocket.upgrade_fault(headers, accept)
  if (headers.upgrade or ''):lower() ~= 'websocket' then return 'the answer is no upgrade to WebSocket' end
  if not (headers.connection or ''):lower():find('upgrade', 1, true) then return 'the answer is no upgrade' end
  if headers['sec-websocket-accept'] ~= accept then return 'the answer belongs to another request' end
  if headers['sec-websocket-protocol'] ~= 'causeway.v1' then return 'the answer does not come from a hub' end
  if headers['sec-websocket-extensions'] then return 'the answer has an extension that was not asked for' end
  return nil
end

--- The head of a masked frame, which ends with the mask.
function websocket.head(opcode, length, mask)
  local first = char(128 + opcode)
  if length < 126 then return first .. char(128 + length) .. mask end
  if length < 65536 then return first .. char(254, floor(length / 256), length % 256) .. mask end
  return first .. char(255, 0, 0, 0, 0, floor(length / 16777216) % 256, floor(length / 65536) % 256,
    floor(length / 256) % 256, length % 256) .. mask
end

--- A whole frame of a control message, masked.
function websocket.control(opcode, payload, random)
  local mask = random(4)
  return websocket.head(opcode, #payload, mask) .. bits.mask(payload, mask)
end

--- The payload of a close frame.
function websocket.close_payload(code, reason)
  return char(floor(code / 256), code % 256) .. sub(reason, 1, 123)
end

local function is_close_code(code)
  return code >= 3000 and code <= 4999 or code >= 1000 and code <= 1014 and code ~= 1004 and code ~= 1005 and code ~= 1006
end

--- A breach of RFC 6455, with the code that closes the connection.
local function breach(code, reason) return { kind = 'breach', code = code, reason = reason } end

local function read_close(payload)
  if payload == '' then return { kind = 'close', code = 1005, reason = '' } end
  if #payload == 1 then return breach(1002, 'a close frame with one byte') end
  local high, low = byte(payload, 1, 2)
  local code, reason = high * 256 + low, sub(payload, 3)
  if not is_close_code(code) then return breach(1002, 'a close code that may not be sent') end
  if unicode.fault(reason) then return breach(1007, 'a close reason that is not UTF-8') end
  return { kind = 'close', code = code, reason = reason }
end

--- Reads the frames of a server. `feed(bytes)` takes bytes; `next()` answers the next event or nil: `text` and `binary`
--- with `data`, `oversize` (the message was skipped), `ping`, `pong`, `close`, `breach`. Nothing follows the last two.
function websocket.reader(limit)
  -- `front` is read from `at` on; what arrives waits in `chunks`, so that a frame does not move the bytes behind it.
  local front, at, chunks, have, need, ended = '', 1, {}, 0, 2, false
  local head, parts, size, kind, skipping

  --- Lets at least so many of the bytes that are there lie in `front`.
  local function gather(count)
    if #front - at + 1 >= count then return end
    table.insert(chunks, 1, sub(front, at))
    front, at, chunks = table.concat(chunks), 1, {}
  end

  local function take(count)
    gather(count)
    local taken = sub(front, at, at + count - 1)
    at, have = at + count, have - count
    return taken
  end

  --- The head that lies at the front: its frame, or nil if it is not complete; `need` says how much it takes.
  local function read_head()
    if have < need then return nil end
    gather(need)
    local first, second = byte(front, at, at + 1)
    if second >= 128 then return nil, breach(1002, 'a masked frame of the server') end
    local length, bytes = second, 2
    if second >= 126 then
      bytes = second == 126 and 4 or 10
      if have < bytes then
        need = bytes
        return nil
      end
      gather(bytes)
      -- A float: an integer of Lua 5.4 would overflow.
      length = 0.0
      for nth = at + 2, at + bytes - 1 do length = length * 256 + byte(front, nth) end
    end
    take(bytes)
    need = 2
    return { final = first >= 128, opcode = first % 16, reserved = floor(first / 16) % 8, length = length }
  end

  local function head_fault(frame)
    local opcode = frame.opcode
    if frame.reserved ~= 0 then return breach(1002, 'a reserved bit is set') end
    if opcode >= 8 then
      if opcode > PONG then return breach(1002, 'an unknown control frame') end
      if not frame.final or frame.length > 125 then return breach(1002, 'a control frame in parts, or too long') end
    elseif opcode > BINARY then return breach(1002, 'an unknown frame')
    elseif (opcode == 0) ~= (kind ~= nil) then return breach(1002, 'a fragment out of turn')
    elseif frame.length > ABSURD then return breach(1009, 'a frame of absurd length') end
    return nil
  end

  local function end_message()
    local data, was, skipped = table.concat(parts), kind, skipping
    parts, size, kind, skipping = nil, nil, nil, nil
    if skipped then return { kind = 'oversize' } end
    if was == TEXT and unicode.fault(data) then return breach(1007, 'text that is not UTF-8') end
    return { kind = was == TEXT and 'text' or 'binary', data = data }
  end

  --- Takes what is there of a message too long to keep.
  local function skip(frame)
    local gone = math.min(have, frame.length)
    take(gone)
    frame.length = frame.length - gone
    return frame.length == 0
  end

  local function finish_data(frame, payload)
    head = nil
    if not skipping then parts[#parts + 1] = payload end
    if frame.final then return end_message() end
    return false
  end

  local function begin_data(frame)
    if frame.opcode ~= 0 then kind, parts, size = frame.opcode, {}, 0 end
    size = size + frame.length
    if size > ABSURD then return breach(1009, 'a message of absurd length') end
    if size > limit then skipping, parts = true, {} end
    return nil
  end

  local function control(frame, payload)
    head = nil
    if frame.opcode == CLOSE then return read_close(payload) end
    return { kind = frame.opcode == PING and 'ping' or 'pong', data = payload }
  end

  --- One frame, or a part of one: an event, false to look again, nil if more bytes are needed.
  local function advance()
    if not head then
      local frame, fault = read_head()
      if not frame then return fault end
      fault = head_fault(frame)
      if not fault and frame.opcode < 8 then fault = begin_data(frame) end
      if fault then return fault end
      head = frame
    end
    if head.opcode < 8 and skipping then
      if skip(head) then return finish_data(head, '') end
      return nil
    end
    if have < head.length then return nil end
    local frame, payload = head, take(head.length)
    if frame.opcode >= 8 then return control(frame, payload) end
    return finish_data(frame, payload)
  end

  return {
    feed = function(bytes)
      chunks[#chunks + 1] = bytes
      have = have + #bytes
    end,
    next = function()
      if ended then return nil end
      local event = advance()
      while event == false do event = advance() end
      if event and (event.kind == 'close' or event.kind == 'breach') then ended = true end
      return event
    end,
  }
end

websocket.TEXT, websocket.CLOSE, websocket.PONG = TEXT, CLOSE, PONG

return websocket

--- A host over LuaSocket, and LuaSec for `wss:`. Two things block: the look-up of a name, and nothing else of the network.
--- The TLS handshake goes on in steps.
if jit then jit.off(true, true) end
local files = require 'causeway.host.files'
local socket = require 'socket'

local READ_BYTES = 16384
local CA_FILES = { '/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem' }

local function is_there(path)
  local file = io.open(path, 'rb')
  if file then file:close() end
  return file ~= nil
end

local function default_ca_file()
  for _, path in ipairs(CA_FILES) do
    if is_there(path) then return path end
  end
  return nil
end

--- Whether a name of a certificate covers a host: the same, or `*` for its first label.
local function covers(name, host)
  name, host = name:lower():gsub('%.$', ''), host:lower():gsub('%.$', '')
  if name == host then return true end
  local rest = name:match '^%*%.(.+%..+)$'
  return rest ~= nil and host:match '^[^.]+%.(.+)$' == rest
end

local function is_address(host) return host:find '^%d+%.%d+%.%d+%.%d+$' ~= nil or host:find(':', 1, true) ~= nil end

--- Whether the certificate belongs to the host, by its alternative names; a common name alone does not count.
local function belongs_to(certificate, host)
  local extension = certificate and (certificate:extensions() or {})['2.5.29.17'] or {}
  for _, name in ipairs((is_address(host) and extension.iPAddress or extension.dNSName) or {}) do
    if is_address(host) and name == host or not is_address(host) and covers(name, host) then return true end
  end
  return false
end

--- Waits nowhere: true when the connection stands, false while it does not yet, nil and an error when it cannot.
local function connect_on(handle)
  local _, writable = socket.select({}, { handle.tcp }, 0)
  if not writable[handle.tcp] then return false end
  local connected, problem = handle.tcp:connect(handle.address, handle.port)
  if connected or problem == 'already connected' then return true end
  return nil, problem
end

local function begin_tls(handle, options)
  local ssl = require 'ssl'
  local secured, problem = ssl.wrap(handle.tcp, {
    mode = 'client', protocol = 'any', verify = 'peer', options = { 'all', 'no_sslv2', 'no_sslv3', 'no_tlsv1', 'no_tlsv1_1' },
    cafile = options.ca_file or default_ca_file(),
  })
  if not secured then return nil, problem end
  if not is_address(handle.host) then secured:sni(handle.host) end
  secured:settimeout(0)
  handle.tcp, handle.is_secured = secured, true
  return false
end

local function shake_hands(handle)
  local shaken, problem = handle.tcp:dohandshake()
  if not shaken then
    if problem == 'wantread' or problem == 'wantwrite' or problem == 'timeout' then return false end
    return nil, 'TLS: ' .. tostring(problem)
  end
  if not belongs_to(handle.tcp:getpeercertificate(), handle.host) then
    return nil, 'TLS: the certificate belongs to another host'
  end
  return true
end

--- One step further to a connection that can be used.
local function advance(handle, options)
  if handle.is_ready then return true end
  if not handle.is_connected then
    local connected, problem = connect_on(handle)
    if not connected then return connected, problem end
    handle.is_connected = true
    handle.tcp:setoption('tcp-nodelay', true)
  end
  if handle.secure and not handle.is_secured then
    local begun, problem = begin_tls(handle, options)
    if begun == nil then return nil, problem end
  end
  if handle.secure then
    local shaken, problem = shake_hands(handle)
    if not shaken then return shaken, problem end
  end
  handle.is_ready = true
  return true
end

local WAITS = { timeout = true, wantread = true, wantwrite = true }

local function open(host, port, secure)
  local list, problem = socket.dns.getaddrinfo(host)
  if not list or not list[1] then return nil, ('%s is not found: %s'):format(host, tostring(problem)) end
  local address = list[1]
  for _, one in ipairs(list) do
    if one.family == 'inet' then address = one break end
  end
  local tcp = address.family == 'inet6' and socket.tcp6() or socket.tcp()
  tcp:settimeout(0)
  local connected, reason = tcp:connect(address.addr, port)
  if not connected and reason ~= 'timeout' and reason ~= 'Operation already in progress' then
    tcp:close()
    return nil, reason
  end
  return { tcp = tcp, host = host, port = port, address = address.addr, secure = secure, is_connected = connected == 1 }
end

local function send(handle, bytes, options)
  local ready, problem = advance(handle, options)
  if not ready then return ready == false and 0 or nil, problem end
  local last, reason, partial = handle.tcp:send(bytes)
  if last then return last end
  if WAITS[reason] then return partial or 0 end
  return nil, reason
end

local function receive(handle, options)
  local ready, problem = advance(handle, options)
  if not ready then return ready == false and '' or nil, problem end
  local bytes, reason, partial = handle.tcp:receive(READ_BYTES)
  if bytes then return bytes end
  if partial and partial ~= '' then return partial end
  if WAITS[reason] then return '' end
  return nil, reason
end

--- Options: `ca_file`, the certificates that are trusted (default: those of the system), and `require`.
return function(options)
  options = options or {}
  local host = files.open(options.require)
  host.connect = open
  host.send = function(handle, bytes) return send(handle, bytes, options) end
  host.receive = function(handle) return receive(handle, options) end
  host.close = function(handle) handle.tcp:close() end
  host.now = function() return socket.gettime() * 1000 end
  return host
end

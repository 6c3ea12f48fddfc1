--- A disk in memory that keeps apart what was written and what is durable. After each operation it can tell what a killed
--- process leaves, and what a power cut may leave.
local disk = {}

local function copy(map)
  local result = {}
  for key, value in pairs(map) do result[key] = value end
  return result
end

--- The contents by name after an end. `content(file)` is the text that is left of a file.
local function image(names, content)
  local files = {}
  for name, file in pairs(names) do files[name] = content(file) end
  return files
end

local function durable_of(file) return file.data:sub(1, file.durable) end

--- A block that was not written, and whole lines after it.
local function with_zeros(file)
  local pending = #file.data - file.durable
  local zeros = math.floor(pending / 3)
  return durable_of(file) .. ('\0'):rep(zeros) .. file.data:sub(file.durable + zeros + 1)
end

local function half(file) return file.data:sub(1, file.durable + math.floor((#file.data - file.durable) / 2)) end

local function is_same(one, other)
  for name, text in pairs(one) do
    if other[name] ~= text then return false end
  end
  for name in pairs(other) do
    if not one[name] then return false end
  end
  return true
end

local function add_new(images, files)
  for _, known in ipairs(images) do
    if is_same(known.files, files) then return end
  end
  images[#images + 1] = { files = files }
end

--- `left`: what an end left: `files` maps names to texts, which are durable unless `durable` has shorter ones; `behind` has
--- the names that are not durable, with the text that a power cut would bring back, or false.
--- `on_operation(disk, what, file, text)` is called before each operation.
function disk.create(left, on_operation)
  local self = { names = {}, durable_names = {} }
  for name, text in pairs(left.files) do
    self.names[name] = { data = text, durable = #(left.durable and left.durable[name] or text) }
  end
  self.durable_names = copy(self.names)
  for name, text in pairs(left.behind or {}) do self.durable_names[name] = text and { data = text, durable = #text } or nil end

  local function operation(what, file, text)
    if on_operation then on_operation(self, what, file, text) end
  end

  local function reader(file)
    local at = 1
    return {
      read = function(_, count)
        local text = file.data:sub(at, at + count - 1)
        at = at + #text
        return text ~= '' and text or nil
      end,
      close = function() return true end,
    }
  end

  local function writer(file)
    return {
      file = file,
      setvbuf = function() return true end,
      close = function() return true end,
      write = function(_, text)
        operation('write', file, text)
        file.data = file.data .. text
        return true
      end,
    }
  end

  local function open(name, mode)
    local file = self.names[name]
    if mode == 'rb' then
      if not file then return nil, name .. ': No such file or directory', 2 end
      return reader(file)
    end
    if not file or mode == 'wb' then
      operation 'create'
      file = { data = '', durable = 0 }
      self.names[name] = file
    end
    return writer(file)
  end

  local function rename(from, to)
    operation 'rename'
    self.names[from], self.names[to] = nil, self.names[from]
    return true
  end

  local function remove(name)
    self.names[name] = nil
    return true
  end

  function self.fsync(handle)
    operation 'fsync'
    handle.file.durable = #handle.file.data
    return true
  end

  function self.fsync_folder()
    operation 'fsync_folder'
    self.durable_names = copy(self.names)
    return true
  end

  --- The files after a killed process: all that was written, and which of it is durable.
  function self.killed()
    local behind = {}
    for _, names in ipairs { self.names, self.durable_names } do
      for name in pairs(names) do
        local file = self.durable_names[name]
        if file ~= self.names[name] then behind[name] = file and durable_of(file) or false end
      end
    end
    local function all(file) return file.data end
    return { files = image(self.names, all), durable = image(self.names, durable_of), behind = behind }
  end

  --- The files that a power cut may leave: all, some or none of the names and bytes that were not synced.
  function self.cut()
    local images = {}
    for _, names in ipairs { self.names, self.durable_names } do
      for _, content in ipairs { durable_of, half, with_zeros } do add_new(images, image(names, content)) end
    end
    return images
  end

  --- Calls a function with this disk in the place of the real one.
  function self.run(call)
    local real_open, real_rename, real_remove = io.open, os.rename, os.remove
    io.open, os.rename, os.remove = open, rename, remove
    local fits, problem = pcall(call)
    io.open, os.rename, os.remove = real_open, real_rename, real_remove
    if not fits then error(problem, 0) end
  end

  return self
end

return disk

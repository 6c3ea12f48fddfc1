import { LuaFactory } from 'wasmoon';

/** Every name is a function that stores its arguments; `server_scripts` is `server_script` several times. */
const READER = `
  local lines = {}
  local function keep(key)
    return function(value)
      for _, one in ipairs(type(value) == 'table' and value or { value }) do
        lines[#lines + 1] = key:gsub('s$', '') .. '\\t' .. tostring(one)
      end
      return function() end
    end
  end
  setmetatable(_G, { __index = function(_, key) return keep(key) end })
  function __lines() return table.concat(lines, '\\n') end`;

const factory = new LuaFactory();

/** The values of a manifest, by the singular of their keys: `server_script` → its values in their order. */
export const readManifest = async (code: string): Promise<ReadonlyMap<string, readonly string[]>> => {
  const engine = await factory.createEngine();
  try {
    engine.doStringSync(READER);
    engine.doStringSync(code);
    const said = new Map<string, string[]>();
    for (const line of String(engine.doStringSync('return __lines()')).split('\n')) {
      const [key = '', value = ''] = line.split('\t');
      said.set(key, [...(said.get(key) ?? []), value]);
    }
    return said;
  } finally {
    engine.global.close();
  }
};

const FINAL_TEXT = 0x81;

/**
 * One text frame of a server (RFC 6455, section 5.2) in one buffer. The library writes head and text separately, and a
 * second write costs more than the rest of a frame. `text` has at most 2 GiB.
 */
export const textFrame = (text: string): Buffer => {
  const size = Buffer.byteLength(text);
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = size;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(size, 6);
  }
  frame.write(text, head);
  return frame;
};

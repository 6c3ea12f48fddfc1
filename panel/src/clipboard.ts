export const copyText = async (text: string): Promise<void> => {
  // Only secure pages have a clipboard; a hub in a local network may not be one.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
};

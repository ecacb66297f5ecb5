/** What the ids and paths in the texts of the export are here; undefined where there is no such thing. */
export type NewReferences = {
  userId(oldId: number): number | undefined
  channelId(oldId: number): number | undefined
  messageId(oldId: number): number | undefined
  uploadPath(oldPath: string): string | undefined
  /** Where the organization lived, if that is known, and where it lives, without slashes at their ends. */
  moved: { from: string; to: string } | null
}

const USER_MENTION = /(@_?\*\*[^*\n]*\|)(\d{1,15})(\*\*)/g
const MESSAGE_LINK = /(#\*\*[^*\n]+>[^*\n]*@)(\d{1,15})(\*\*)/g
const UPLOAD = /(\/?user_uploads\/(?:download\/)?)(\d[^\s()<>"'[\]]*)/g
/** With the address of a server before it, or none. */
const NARROW = /(^|[\s(<"'[])((?:https?:\/\/[^\s()<>"'[\]/]+)?)(\/?#narrow\/[^\s()<>"'[\]]+)/g

/** The Markdown with all that named things by ids or places of the export naming them as they are here. */
export function rewriteContent(content: string, names: NewReferences): string {
  let text = content
  if (text.includes('**'))
    text = text
      .replace(USER_MENTION, (whole, start, id, end) => around(whole, start, names.userId(Number(id)), end))
      .replace(MESSAGE_LINK, (whole, start, id, end) => around(whole, start, names.messageId(Number(id)), end))
  if (text.includes('user_uploads/'))
    text = moveLinks(text, '/user_uploads/', names).replace(
      UPLOAD,
      (_, start: string, path: string) => start + uploadPath(path, names),
    )
  if (text.includes('#narrow/'))
    text = moveLinks(text, '/#narrow/', names).replace(NARROW, (whole, before: string, home: string, link: string) =>
      home === '' || home === names.moved?.to ? before + home + narrowLink(link, names) : whole,
    )
  return text
}

/** Links to the old address lead to the new one, as far as they go on with `path`. */
function moveLinks(text: string, path: string, { moved }: NewReferences): string {
  return moved === null ? text : text.replaceAll(moved.from + path, moved.to + path)
}

const around = (whole: string, start: string, id: number | undefined, end: string) =>
  id === undefined ? whole : `${start}${id}${end}`

/** A dot or comma behind the link is no part of it. */
function uploadPath(path: string, { uploadPath: find }: NewReferences): string {
  const plain = path.replace(/[.,;:!?*_]+$/, '')
  for (const candidate of [path, unescaped(path), plain, unescaped(plain)]) {
    const found = find(candidate)
    if (found !== undefined) return found + (candidate === plain ? path.slice(plain.length) : '')
  }
  return path
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const CHANNELS = new Set(['channel', 'channels', 'stream', 'streams'])
const PEOPLE = new Set(['dm', 'dm-including', 'pm-with', 'sender', 'group-pm-with'])
const MESSAGES = new Set(['near', 'id', 'with'])

/** `#narrow/operator/operand/…`, where operands may begin with ids. */
function narrowLink(link: string, names: NewReferences): string {
  const [start = '', ...words] = link.split(/(?<=#narrow)\//)
  const parts = words.join('/').split('/')
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const operator = (parts[index] ?? '').replace(/^-/, '')
    const operand = parts[index + 1] ?? ''
    if (CHANNELS.has(operator)) parts[index + 1] = withIds(operand, names.channelId)
    else if (PEOPLE.has(operator)) parts[index + 1] = withIds(operand, names.userId)
    else if (MESSAGES.has(operator)) parts[index + 1] = withIds(operand, names.messageId)
  }
  return [start, ...parts].join('/')
}

/** The ids at the beginning of an operand, as far as they are known; what follows them is but for people to read. */
function withIds(operand: string, find: (oldId: number) => number | undefined): string {
  return operand.replace(/^\d{1,15}(?:,\d{1,15})*(?=-|$|[.?])/, (ids) =>
    ids
      .split(',')
      .map((id) => find(Number(id)) ?? id)
      .join(','),
  )
}

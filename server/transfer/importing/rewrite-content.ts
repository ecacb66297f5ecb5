import { decodePercent } from '#messages/files.ts'

/** Finds the new id or path for one in the content of the export. Returns undefined if there is none. */
type NewReferences = {
  userId(oldId: number): number | undefined
  channelId(oldId: number): number | undefined
  messageId(oldId: number): number | undefined
  uploadPath(oldPath: string): string | undefined
  /** The original address of the organization, if known, and the new one, without trailing slashes. */
  moved: { from: string; to: string } | null
}

const USER_MENTION = /(@_?\*\*[^*\n]*\|)(\d{1,15})(\*\*)/g
const MESSAGE_LINK = /(#\*\*[^*\n]+>[^*\n]*@)(\d{1,15})(\*\*)/g
const UPLOAD = /(\/?user_uploads\/(?:download\/)?)(\d[^\s()<>"'[\]]*)/g
/** A narrow link, optionally with the address of a server. */
const NARROW = /(^|[\s(<"'[])((?:https?:\/\/[^\s()<>"'[\]/]+)?)(\/?#narrow\/[^\s()<>"'[\]]+)/g

/** Returns the Markdown with the ids and addresses of the export replaced by the new ones. */
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

/** Replaces the original address in links that continue with `path`. */
function moveLinks(text: string, path: string, { moved }: NewReferences): string {
  return moved === null ? text : text.replaceAll(moved.from + path, moved.to + path)
}

const around = (whole: string, start: string, id: number | undefined, end: string) =>
  id === undefined ? whole : `${start}${id}${end}`

/** Punctuation after a path does not belong to it, unless a file has the path with the punctuation. */
function uploadPath(path: string, { uploadPath: find }: NewReferences): string {
  const plain = path.replace(/[.,;:!?*_]+$/, '')
  for (const candidate of [path, decodePercent(path), plain, decodePercent(plain)]) {
    const found = find(candidate)
    if (found !== undefined) return found + (candidate === plain ? path.slice(plain.length) : '')
  }
  return path
}

const CHANNELS = new Set(['channel', 'channels', 'stream', 'streams'])
const PEOPLE = new Set(['dm', 'dm-including', 'pm-with', 'sender', 'group-pm-with'])
const MESSAGES = new Set(['near', 'id', 'with'])

/** Replaces the ids at the beginning of the operands in `#narrow/operator/operand/…`. */
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

/** Replaces known ids at the beginning of an operand. The rest of the operand is a name for people. */
function withIds(operand: string, find: (oldId: number) => number | undefined): string {
  return operand.replace(/^\d{1,15}(?:,\d{1,15})*(?=-|$|[.?])/, (ids) =>
    ids
      .split(',')
      .map((id) => find(Number(id)) ?? id)
      .join(','),
  )
}

import { createAtom } from '@tanstack/react-store'
import { flushSync } from 'react-dom'
import { uploadFile } from '../api/upload-file.ts'
import { storesPersonalData } from '../browser/personal-data.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { showToast, type Toast } from '../ui/toasts.ts'
import { type Attachment, joinAttachments, splitAttachments, toAttachment } from './attachments.ts'

/** The text that files are uploaded for. */
export type UploadTarget = {
  readonly key: string
  /** Changes the stored text, while no editor shows it. */
  readonly store: (change: (text: string) => string) => void
}

/** A file that is being uploaded. `error` is null unless the upload has failed. */
export type Upload = {
  readonly id: number
  /** The key of the text that the file belongs to. */
  readonly key: string
  readonly file: File
  readonly maxMib: number
  /** The part of the file that has been sent, from 0 to 1. */
  readonly progress: number
  readonly error: string | null
  /** The text that the file takes the place of; null for all other files. */
  readonly replaced: string | null
  /** A link to the page where the file was chosen. */
  readonly link: NonNullable<Toast['link']>
}

/** An editor on the page. `change` changes its text. */
type Editor = { readonly key: string; readonly change: UploadTarget['store'] }

/** The uploads that are running or have failed. They go on when the user leaves the page of the conversation. */
export const runningUploads = createAtom<readonly Upload[]>([])

/** The files that this tab has uploaded, by their address. */
const ended = new Map<string, { id: number; file: File }>()
const aborts = new Map<number, AbortController>()
const targets = new Map<string, UploadTarget>()
/** The last upload of each text. */
const queues = new Map<string, Promise<void>>()
const editors = new Set<Editor>()
const lastId = createAtom(0)

/** Asks users who close or reload the tab during an upload. */
const warn = (event: BeforeUnloadEvent): void => {
  if (storesPersonalData()) event.preventDefault()
}

runningUploads.subscribe(() => {
  if (runningUploads.get().some(({ error }) => error === null)) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
})

/** Returns the local copy of an uploaded file, if it was chosen in this tab. */
export const localCopy = (url: string): File | undefined => ended.get(url)?.file

/** Returns the position before the first attachment that was chosen after the upload. */
export function positionOf(id: number, known: readonly Attachment[]): number {
  const at = known.findIndex(({ url }) => (ended.get(url)?.id ?? 0) > id)
  return at === -1 ? known.length : at
}

/** Lets an editor change its text itself when an upload ends. Returns a function that stops this. */
export function addUploadEditor(editor: Editor): () => void {
  editors.add(editor)
  return () => void editors.delete(editor)
}

/** Sets how the text of uploads is stored. */
export const setUploadTarget = (target: UploadTarget): void => void targets.set(target.key, target)

/** Uploads a file after the other files of its text, and then adds a link to the end of the text. */
export function startUpload(
  target: UploadTarget,
  { file, ...rest }: Pick<Upload, 'file' | 'maxMib' | 'replaced' | 'link'>,
): void {
  lastId.set((id) => id + 1)
  const id = lastId.get()
  setUploadTarget(target)
  runningUploads.set([...runningUploads.get(), { ...rest, id, key: target.key, file, progress: 0, error: null }])
  enqueue(target.key, id)
}

export function retryUpload({ id, key }: Upload): void {
  change(id, { error: null, progress: 0 })
  enqueue(key, id)
}

/** Cancels an upload, or removes a failed one. */
export function cancelUpload(id: number): void {
  aborts.get(id)?.abort()
  drop(id)
}

/** Cancels all uploads of a text. */
export function cancelUploads(key: string): void {
  for (const { id } of runningUploads.get().filter((one) => one.key === key)) cancelUpload(id)
}

/** Lets uploads continue for another text, because their conversation or their text has moved. */
export function moveUploads(fromKey: string, to: UploadTarget): void {
  const all = runningUploads.get()
  if (fromKey === to.key || !all.some(({ key }) => key === fromKey)) return
  setUploadTarget(to)
  runningUploads.set(all.map((one) => (one.key === fromKey ? { ...one, key: to.key } : one)))
}

function enqueue(key: string, id: number): void {
  queues.set(
    key,
    (queues.get(key) ?? Promise.resolve()).then(() => send(id)),
  )
}

const find = (id: number) => runningUploads.get().find((one) => one.id === id)
const change = (id: number, part: Partial<Upload>) =>
  runningUploads.set(runningUploads.get().map((one) => (one.id === id ? { ...one, ...part } : one)))

function drop(id: number): void {
  const key = find(id)?.key
  const rest = runningUploads.get().filter((one) => one.id !== id)
  runningUploads.set(rest)
  if (key === undefined || rest.some((one) => one.key === key)) return
  targets.delete(key)
  queues.delete(key)
}

async function send(id: number): Promise<void> {
  const upload = find(id)
  if (upload === undefined) return
  const { file, maxMib, replaced } = upload
  if (file.size > maxMib * 2 ** 20) return fail(id, t('The file is larger than {max} MiB.', { max: maxMib }))
  const controller = new AbortController()
  const { signal } = controller
  aborts.set(id, controller)
  try {
    const { url, filename } = await uploadFile(file, { signal, onProgress: (progress) => change(id, { progress }) })
    if (signal.aborted) return
    ended.set(url, { id, file })
    // If this was rendered later, the next key could write the text without the new attachment.
    flushSync(() => {
      changeText(upload, (text) => {
        const { body, attachments } = splitAttachments(text)
        const all = attachments.toSpliced(positionOf(id, attachments), 0, toAttachment(filename, url))
        return joinAttachments(body === replaced ? '' : body, all)
      })
      drop(id)
    })
  } catch (error) {
    if (!signal.aborted) fail(id, toAppError(error).message)
  } finally {
    aborts.delete(id)
  }
}

/** Shows the error beside the file. If the file is not on the page, a toast leads to it. */
function fail(id: number, error: string): void {
  change(id, { error })
  const { key, file, link } = find(id)!
  if (editorOf(key) === undefined) showToast(t('Couldn’t upload {name}', { name: file.name }), { kind: 'error', link })
}

const editorOf = (key: string): Editor | undefined => [...editors].findLast((one) => one.key === key)

/** Changes the text that the upload belongs to now, in its editor or where it is stored. */
function changeText({ id, key }: Upload, toChanged: (text: string) => string): void {
  const current = find(id)?.key ?? key
  const editor = editorOf(current)
  if (editor !== undefined) editor.change(toChanged)
  else targets.get(current)?.store(toChanged)
}

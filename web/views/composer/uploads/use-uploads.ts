import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { uploadFile } from '../../../api/upload-file.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { type Attachment, joinAttachments, moved, splitAttachments, toAttachment } from './attachments.ts'

/** A file that is being uploaded. `error` is null unless the upload has failed. */
export type Upload = {
  readonly id: number
  readonly file: File
  /** The part of the file that has been sent, from 0 to 1. */
  readonly progress: number
  readonly error: string | null
  /** The text that the file takes the place of; null for all other files. */
  readonly replaced: string | null
}

/** A file of the message. `file` is the local copy, if it was chosen on this page. */
export type TrayItem =
  | { readonly kind: 'attachment'; readonly attachment: Attachment; readonly file: File | undefined }
  | { readonly kind: 'upload'; readonly upload: Upload; readonly file: File }

/** The files of the message that is being written. */
export type Uploads = {
  /** The files in the order in which they were chosen or arranged. */
  readonly items: readonly TrayItem[]
  /** True while the message must wait for uploads. */
  readonly isBusy: boolean
  /** True if a file could not be uploaded. */
  readonly hasFailed: boolean
  readonly add: (files: Iterable<File>) => void
  /** Makes the text of the message a file. The text stays until the file is uploaded. */
  readonly addText: () => void
  readonly retry: (id: number) => void
  /** Cancels an upload, or removes a file from the message. */
  readonly remove: (item: TrayItem) => void
  /** Moves an uploaded file by a number of positions among the uploaded files. */
  readonly move: (attachment: Attachment, to: number) => void
}

let lastId = 0

/** Uploads files one after another, and adds a link to each file to the end of the text, in the order of the files. */
export function useUploads(text: string, onText: (text: string) => void): Uploads {
  const { max_file_upload_size_mib: maxMib } = useOrganization()
  const [list, setList] = useState<readonly Upload[]>([])
  const latest = useRef({ text, onText })
  const aborts = useRef(new Map<number, AbortController>())
  const queue = useRef(Promise.resolve())
  /** The uploads of this page that are complete, by the address of the file. */
  const [ended] = useState(() => new Map<string, { id: number; file: File }>())
  useEffect(() => {
    latest.current = { text, onText }
  })
  useEffect(() => {
    const { current } = aborts
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])

  const { attachments } = splitAttachments(text)
  /** Returns the position before the first attachment that was chosen after the upload. */
  function positionOf(id: number, known: readonly Attachment[]): number {
    const at = known.findIndex(({ url }) => (ended.get(url)?.id ?? 0) > id)
    return at === -1 ? known.length : at
  }

  /** Changes the attachments of the latest text. If the rest of the text is `replaced`, it is removed. */
  function rewrite(
    toChanged: (attachments: readonly Attachment[]) => readonly Attachment[],
    replaced: string | null = null,
  ) {
    const { body, attachments } = splitAttachments(latest.current.text)
    latest.current.text = joinAttachments(body === replaced ? '' : body, toChanged(attachments))
    latest.current.onText(latest.current.text)
  }

  const change = (id: number, part: Partial<Upload>) =>
    setList((known) => known.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const drop = (id: number) => setList((known) => known.filter((one) => one.id !== id))

  async function send({ id, file, replaced }: Upload, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (file.size > maxMib * 2 ** 20)
      return change(id, { error: t('The file is larger than {max} MiB.', { max: maxMib }) })
    try {
      const { url, filename } = await uploadFile(file, { signal, onProgress: (progress) => change(id, { progress }) })
      if (signal.aborted) return
      ended.set(url, { id, file })
      // If this was rendered later, the next key could write the text without the new attachment.
      flushSync(() => {
        rewrite((known) => known.toSpliced(positionOf(id, known), 0, toAttachment(filename, url)), replaced)
        drop(id)
      })
    } catch (error) {
      if (!signal.aborted) change(id, { error: toAppError(error).message })
    }
  }

  function start(upload: Upload) {
    const controller = new AbortController()
    aborts.current.set(upload.id, controller)
    queue.current = queue.current.then(() => send(upload, controller.signal))
  }

  function add(file: File, replaced: string | null) {
    lastId += 1
    const upload = { id: lastId, file, progress: 0, error: null, replaced }
    setList((known) => [...known, upload])
    start(upload)
  }

  const items: TrayItem[] = attachments.map((attachment) => ({
    kind: 'attachment',
    attachment,
    file: ended.get(attachment.url)?.file,
  }))
  for (const upload of list.toReversed())
    items.splice(positionOf(upload.id, attachments), 0, { kind: 'upload', upload, file: upload.file })

  return {
    items,
    isBusy: list.some(({ error }) => error === null),
    hasFailed: list.some(({ error }) => error !== null),
    add(files) {
      for (const file of files) add(file, null)
    },
    addText() {
      const { body } = splitAttachments(latest.current.text)
      add(new File([body], 'message.txt', { type: 'text/plain' }), body)
    },
    retry(id) {
      const failed = list.find((one) => one.id === id)
      if (failed === undefined) return
      change(id, { error: null, progress: 0 })
      start(failed)
    },
    remove(item) {
      if (item.kind === 'attachment') return rewrite((known) => known.filter(({ url }) => url !== item.attachment.url))
      aborts.current.get(item.upload.id)?.abort()
      drop(item.upload.id)
    },
    move: ({ url }, to) =>
      rewrite((known) => {
        const from = known.findIndex((one) => one.url === url)
        return from === -1 || to < 0 || to >= known.length ? known : moved(known, from, to)
      }),
  }
}

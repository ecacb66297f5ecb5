import { useRouter } from '@tanstack/react-router'
import { shallow, useSelector } from '@tanstack/react-store'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { type Attachment, joinAttachments, moved, splitAttachments } from './attachments.ts'
import {
  addUploadEditor,
  cancelUpload,
  localCopy,
  moveUploads,
  positionOf,
  retryUpload,
  runningUploads,
  setUploadTarget,
  startUpload,
  type Upload,
  type UploadTarget,
} from './uploads.ts'

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

/**
 * Uploads files one after another, and adds a link to each file to the end of the text, in the order of the files. The
 * uploads go on when the editor is closed; then the links are added to the stored text.
 */
export function useUploads(target: UploadTarget, text: string, onText: (text: string) => void): Uploads {
  const { max_file_upload_size_mib: maxMib } = useOrganization('max_file_upload_size_mib')
  const router = useRouter()
  const { key } = target
  const list = useSelector(runningUploads, (all) => all.filter((one) => one.key === key), { compare: shallow })
  const latest = useRef({ target, text, onText })
  const hasUploads = list.length > 0
  useEffect(() => {
    latest.current = { target, text, onText }
    if (hasUploads) setUploadTarget(target)
  })
  const change = useCallback((toChanged: (text: string) => string) => {
    latest.current.text = toChanged(latest.current.text)
    latest.current.onText(latest.current.text)
  }, [])
  const knownKey = useRef(key)
  // The editor of a topic keeps its uploads when the topic is moved.
  useLayoutEffect(() => {
    moveUploads(knownKey.current, { ...latest.current.target, key })
    knownKey.current = key
    return addUploadEditor({ key, change })
  }, [key, change])

  const { attachments } = splitAttachments(text)
  const items: TrayItem[] = attachments.map((attachment) => ({
    kind: 'attachment',
    attachment,
    file: localCopy(attachment.url),
  }))
  for (const upload of list.toReversed())
    items.splice(positionOf(upload.id, attachments), 0, { kind: 'upload', upload, file: upload.file })

  function add(file: File, replaced: string | null) {
    const { href } = router.latestLocation
    const link = { text: t('View'), href, open: () => router.history.push(href) }
    startUpload(latest.current.target, { file, maxMib, replaced, link })
  }

  /** Changes the attachments of the latest text. */
  const rewrite = (toChanged: (attachments: readonly Attachment[]) => readonly Attachment[]) =>
    change((text) => {
      const { body, attachments } = splitAttachments(text)
      return joinAttachments(body, toChanged(attachments))
    })

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
      if (failed !== undefined) retryUpload(failed)
    },
    remove(item) {
      if (item.kind === 'attachment') rewrite((known) => known.filter(({ url }) => url !== item.attachment.url))
      else cancelUpload(item.upload.id)
    },
    move: ({ url }, to) =>
      rewrite((known) => {
        const from = known.findIndex((one) => one.url === url)
        return from === -1 || to < 0 || to >= known.length ? known : moved(known, from, to)
      }),
  }
}

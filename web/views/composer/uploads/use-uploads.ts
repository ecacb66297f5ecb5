import { useEffect, useRef, useState } from 'react'
import { uploadFile } from '../../../api/upload-file.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { withFile } from '../message-text.ts'

/** A file that is being uploaded. `error` is null unless the upload has failed. */
export type Upload = {
  readonly id: number
  readonly file: File
  /** The part of the file that has been sent, from 0 to 1. */
  readonly progress: number
  readonly error: string | null
}

/** Uploads for the message that is being written. */
export type Uploads = {
  readonly list: readonly Upload[]
  /** True while the message must wait for uploads. */
  readonly isBusy: boolean
  readonly add: (files: Iterable<File>) => void
  readonly retry: (id: number) => void
  /** Cancels an upload, or removes a failed one. */
  readonly remove: (id: number) => void
}

let lastId = 0

/** Uploads files one after another, and appends a link to each file to the text. */
export function useUploads(text: string, onText: (text: string) => void): Uploads {
  const { max_file_upload_size_mib: maxMib } = useOrganization()
  const [list, setList] = useState<readonly Upload[]>([])
  const latest = useRef({ text, onText })
  const aborts = useRef(new Map<number, AbortController>())
  const queue = useRef(Promise.resolve())
  useEffect(() => {
    latest.current = { text, onText }
  })
  useEffect(() => {
    const { current } = aborts
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])

  const change = (id: number, part: Partial<Upload>) =>
    setList((known) => known.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const drop = (id: number) => setList((known) => known.filter((one) => one.id !== id))

  async function send(id: number, file: File, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (file.size > maxMib * 2 ** 20)
      return change(id, { error: t('The file is larger than {max} MiB.', { max: maxMib }) })
    try {
      const { url, filename } = await uploadFile(file, { signal, onProgress: (progress) => change(id, { progress }) })
      if (signal.aborted) return
      latest.current.text = withFile(latest.current.text, filename, url)
      latest.current.onText(latest.current.text)
      drop(id)
    } catch (error) {
      if (!signal.aborted) change(id, { error: toAppError(error).message })
    }
  }

  function start(id: number, file: File) {
    const controller = new AbortController()
    aborts.current.set(id, controller)
    queue.current = queue.current.then(() => send(id, file, controller.signal))
  }

  return {
    list,
    isBusy: list.some(({ error }) => error === null),
    add(files) {
      for (const file of files) {
        lastId += 1
        const id = lastId
        setList((known) => [...known, { id, file, progress: 0, error: null }])
        start(id, file)
      }
    },
    retry(id) {
      const failed = list.find((one) => one.id === id)
      if (failed === undefined) return
      change(id, { error: null, progress: 0 })
      start(id, failed.file)
    },
    remove(id) {
      aborts.current.get(id)?.abort()
      drop(id)
    },
  }
}

import { useEffect, useRef, useState } from 'react'
import { upload } from '../../api/call.ts'
import { withFile } from './message-text.ts'

/** Uploads for the message that is being written. */
export type Uploads = {
  /** Names of pending uploads; the message must wait for them. */
  readonly names: readonly string[]
  /** The error of the last upload; null if it succeeded. */
  readonly failure: unknown
  add(files: Iterable<File>): void
  /** Cancels pending uploads. */
  cancel(): void
}

/** Uploads files one after the other and appends a link to each. */
export function useUploads(text: string, onText: (text: string) => void): Uploads {
  const [names, setNames] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<unknown>(null)
  const latest = useRef({ text, onText })
  const ending = useRef(new AbortController())
  const queue = useRef(Promise.resolve())
  useEffect(() => {
    latest.current = { text, onText }
  })
  useEffect(() => () => ending.current.abort(), [])

  async function send(file: File, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    try {
      const { url, filename } = await upload('POST /user_uploads', file, { signal })
      if (signal.aborted) return
      latest.current.text = withFile(latest.current.text, filename, url)
      latest.current.onText(latest.current.text)
    } catch (error) {
      if (signal.aborted) return
      setFailure(error)
    }
    setNames(([_, ...others]) => others)
  }

  return {
    names,
    failure,
    add(files) {
      setFailure(null)
      if (ending.current.signal.aborted) ending.current = new AbortController()
      const { signal } = ending.current
      for (const file of files) {
        setNames((names) => [...names, file.name])
        queue.current = queue.current.then(() => send(file, signal))
      }
    },
    cancel() {
      ending.current.abort()
      setNames([])
    },
  }
}

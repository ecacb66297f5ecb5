import { ApiError, emitOutcome } from './api-error.ts'
import type { AnswerOf } from './call.ts'
import { csrfToken, signInAgain } from './session.ts'

const ROUTE = 'POST /user_uploads'

type Answer = AnswerOf<typeof ROUTE>

/**
 * Uploads a file for messages and reports its progress, from 0 to 1. Rejects with `ApiError` if it fails, and also
 * rejects if `signal` is aborted.
 */
export async function uploadFile(
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (part: number) => void },
): Promise<Answer> {
  const { status, body } = await post(file, signal, onProgress)
  emitOutcome({ route: ROUTE, isAnswered: status > 0 && status < 502 })
  if (status === 200 && body !== null) return body as Answer
  const { msg, code } = (body ?? {}) as { msg?: string; code?: string }
  if (status === 401 && code === 'UNAUTHORIZED') return signInAgain()
  throw new ApiError(msg ?? '', {
    status,
    code: code ?? (status === 0 ? 'UNREACHABLE' : 'UNKNOWN'),
    route: ROUTE,
    field: null,
    extras: {},
  })
}

/** Sends the file with `XMLHttpRequest`, since `fetch` does not report how much it has sent. */
function post(
  file: File,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onloadend = () => {
      signal.removeEventListener('abort', abort)
      if (signal.aborted) reject(signal.reason)
      else resolve({ status: request.status, body: request.response })
    }
    request.open('POST', '/json/user_uploads')
    request.responseType = 'json'
    request.setRequestHeader('X-CSRFToken', csrfToken())
    const form = new FormData()
    form.set('file', file)
    signal.addEventListener('abort', abort)
    request.send(form)
  })
}

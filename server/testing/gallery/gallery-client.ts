/** An account that fills the gallery through the API of a listening server. */
export type GalleryAccount = { url: string; email: string; apiKey: string }

export type CallFields = Readonly<Record<string, unknown>>

export async function callApi<Answer>(
  account: GalleryAccount,
  route: string,
  fields: CallFields = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const form = new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
  return send(account, path, method === 'GET' ? `?${form}` : '', { method, ...(method !== 'GET' && { body: form }) })
}

/** Uploads a file and returns its address. */
export async function uploadGalleryFile(account: GalleryAccount, name: string, bytes: Buffer): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)]), name)
  return (await send<{ url: string }>(account, '/user_uploads', '', { method: 'POST', body })).url
}

async function send<Answer>(account: GalleryAccount, path: string, query: string, init: RequestInit): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString('base64')}`
  const answer = await fetch(`${account.url}/api/v1${path}${query}`, { ...init, headers: { authorization } })
  const json = (await answer.json()) as Answer & { msg: string }
  if (!answer.ok) throw new Error(`${path}: ${json.msg}`)
  return json
}

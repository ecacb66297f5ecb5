import { withApiRefusals } from '#http/caller.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { csrfFailed, methodNotAllowed, notFound, toRefusalResponse } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { GALLERY_PATH, galleryPage } from '../sample/gallery.ts'
import { clockCalls } from './clock-calls.ts'
import { faultCalls } from './faults.ts'
import { mailCalls } from './mail-calls.ts'
import { organizationCalls } from './organization-calls.ts'
import { settingsCalls } from './settings-calls.ts'
import { badTestBody, type TestCall, type TestContext } from './test-call.ts'

type Known = { method: string; expression: RegExp; answer: TestCall['answer'] }

const allCalls = [...organizationCalls, ...settingsCalls, ...clockCalls, ...mailCalls, ...faultCalls]

const calls: Known[] = allCalls.map(({ route, answer }) => {
  const [method = '', path = ''] = route.split(' ')
  return { method, expression: new RegExp(`^${path.replace('{id}', '([0-9]+)')}$`), answer }
})

const DEV_KEY_PATH = /^\/(api\/v1|json)\/dev_fetch_api_key$/

/** Returns a function that answers requests under /testing and for the gallery, and returns null for all others. */
export function buildTestDispatch(context: TestContext): (request: HttpRequest) => Promise<HttpResponse> | null {
  async function answer(request: HttpRequest): Promise<HttpResponse> {
    const headers: Record<string, string> = {}
    try {
      const matching = calls.filter(({ expression }) => expression.test(request.path))
      if (matching.length === 0) throw notFound()
      const call = matching.find(({ method }) => method === request.method)
      if (call === undefined) {
        const methods = matching.map(({ method }) => method).toSorted()
        headers['allow'] = methods.join(', ')
        throw methodNotAllowed({ methods })
      }
      const id = Number(call.expression.exec(request.path)?.[1] ?? 0)
      const fields = await call.answer(context, { id, query: request.query, body: readBody(request.rawBody) })
      return { status: 200, headers, body: `${JSON.stringify({ result: 'success', msg: '', ...fields })}\n` }
    } catch (error) {
      if (error instanceof Refusal) return toRefusalResponse(error, headers)
      throw error
    }
  }
  return (request) => {
    // Otherwise, any page that is open in a developer's browser could control the server.
    const isOfOtherSite = request.headers['sec-fetch-site'] === 'cross-site'
    if (isOfOtherSite && (request.path.startsWith('/testing/') || DEV_KEY_PATH.test(request.path)))
      return Promise.resolve(toRefusalResponse(csrfFailed({ reason: 'The request comes from another site.' }), {}))
    if (request.path.startsWith('/testing/')) return answer(request)
    return request.path === GALLERY_PATH
      ? withApiRefusals(context.app.services, request, () => galleryPage(context.app, request))
      : null
  }
}

function readBody(bytes: Buffer): unknown {
  const text = bytes.toString().trim()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw badTestBody({ complaint: 'The body is not valid JSON' })
  }
}

import { refusal } from '#lib/errors/refusal.ts'
import { readWidgetParam, widgetParam } from '#messages/widgets/widget-param.ts'
import { ServiceInterface } from '#people/users/bots/bot.ts'

export type BotReply = { content: string; widget: string | null }

const invalidJson = refusal('BAD_REQUEST', 400, 'Invalid JSON in response')
const invalidFormat = refusal('BAD_REQUEST', 400, 'Invalid response format')
const invalidWidget = refusal('BAD_REQUEST', 400, 'Widgets: widget_content is not a form of choices')

const NO_CONTENT = 204

/** Returns the message in the response of a webhook, or null if there is none. Refuses a malformed response. */
export function readBotResponse(by: number, { status, body }: { status: number; body: string }): BotReply | null {
  if (status === NO_CONTENT) return null
  const answer = parse(body)
  // Older bot servers send an empty string if they have no message.
  if (answer === '') return null
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw invalidFormat()
  const fields = answer as Record<string, unknown>
  return by === ServiceInterface.slack ? toReply(fields['text']) : readGeneric(fields)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidJson()
  }
}

/** `response_string` is the old name of `content`. Responses with it cannot contain widgets. */
function readGeneric(fields: Record<string, unknown>): BotReply | null {
  if (isTruthy(fields['response_not_required'])) return null
  if (fields['response_string'] !== undefined) return toReply(fields['response_string'])
  return toReply(fields['content'], fields['widget_content'])
}

const isTruthy = (value: unknown) =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== ''

function toReply(content: unknown, widget?: unknown): BotReply | null {
  if (content === undefined || content === null) return null
  const text = typeof content === 'object' ? JSON.stringify(content) : String(content)
  return text.trim() === '' ? null : { content: text, widget: readWidget(widget) }
}

/** Bot servers send a widget as JSON, or as a string that contains JSON. */
function readWidget(given: unknown): string | null {
  if (given === '') return null
  const parsed = widgetParam.safeParse(typeof given === 'string' ? parseWidget(given) : given)
  if (!parsed.success) throw invalidWidget()
  return readWidgetParam(parsed.data)
}

function parseWidget(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidWidget()
  }
}

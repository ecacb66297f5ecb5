import { readWidgetParam, widgetParam } from '../../messages/content/widget-param.ts'
import { ServiceInterface } from '../../people/users/bots/bot.ts'
import { refusal } from '../../platform/errors/refusal.ts'

/** What the bot is to say. */
export type BotReply = { content: string; widget: string | null }

export const invalidJson = refusal('BAD_REQUEST', 400, 'Invalid JSON in response')
export const invalidFormat = refusal('BAD_REQUEST', 400, 'Invalid response format')
export const invalidWidget = refusal('BAD_REQUEST', 400, 'Widgets: widget_content is not a form of choices')

const NO_CONTENT = 204

/** What a receiver that took the message has the bot say; null when nothing. Refused when it cannot be read. */
export function readBotResponse(by: number, { status, body }: { status: number; body: string }): BotReply | null {
  if (status === NO_CONTENT) return null
  const answer = parse(body)
  // Older servers of bots say so that they have nothing to say.
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

/** `response_string` is the old name of `content`, and has no form beside it. */
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

/** Servers of bots send it as JSON, or as the text of it. */
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

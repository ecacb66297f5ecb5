import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { bold, link, type MarkdownValue, md, paragraphs, quoteMarkdown, time, valueText } from '../markdown.ts'

const text = z.string().nullish()
const board = z.object({ name: text, shortLink: text, url: text })
const card = z.object({
  name: text,
  shortLink: text,
  idShort: z.number().nullish(),
  closed: z.boolean().nullish(),
  due: text,
  desc: text,
})

const action = z.object({
  type: z.string(),
  memberCreator: z.object({ fullName: text }).nullish(),
  member: z.object({ fullName: text }).nullish(),
  data: z.object({
    board: board.nullish(),
    card: card.nullish(),
    list: z.object({ name: text }).nullish(),
    listBefore: z.object({ name: text }).nullish(),
    listAfter: z.object({ name: text }).nullish(),
    old: z.record(z.string(), z.unknown()).nullish(),
    label: z.object({ name: text, color: text }).nullish(),
    text,
    value: text,
    attachment: z.object({ name: text, url: text }).nullish(),
    checklist: z.object({ name: text }).nullish(),
    checkItem: z.object({ name: text, state: text }).nullish(),
    action: z.object({ text }).nullish(),
  }),
})
type Action = z.output<typeof action>

const cardLink = ({ data: { card } }: Action) =>
  link(card?.name ?? 'a card', card?.shortLink ? `https://trello.com/c/${card.shortLink}` : null)

const boardLink = ({ data: { board } }: Action) =>
  link(board?.name ?? 'the board', board?.shortLink ? `https://trello.com/b/${board.shortLink}` : (board?.url ?? null))

/** Returns what an update changed; null if it is not worth a message. */
function cardUpdate(given: Action): MarkdownValue {
  const { card, old = {}, listBefore, listAfter } = given.data
  const it = cardLink(given)
  const changed = old ?? {}
  const had = (name: string) => Object.hasOwn(changed, name)
  if (had('name')) return md`renamed the card from ${valueText(changed['name'])} to ${it}`
  if (had('closed')) return card?.closed ? md`archived ${it}` : md`reopened ${it}`
  if (listBefore && listAfter)
    return md`moved ${it} from ${listBefore.name ?? 'a list'} to ${listAfter.name ?? 'a list'}`
  if (had('idList')) return md`moved ${it} to another list`
  if (had('desc')) {
    if (!card?.desc) return md`removed the description of ${it}`
    return paragraphs(md`${changed['desc'] ? 'changed' : 'set'} the description of ${it}:`, quoteMarkdown(card.desc))
  }
  if (had('due')) {
    if (!card?.due) return md`removed the due date of ${it}`
    return changed['due']
      ? md`changed the due date of ${it} to ${time(card.due)}`
      : md`set the due date of ${it} to ${time(card.due)}`
  }
  return null
}

/** Returns what an action did; null if it is not worth a message, and undefined if it is not known. */
function describe(given: Action): MarkdownValue | undefined {
  const { data, member } = given
  const [it, board] = [cardLink(given), boardLink(given)]
  const person = member?.fullName ?? 'someone'
  const label = data.label?.name || data.text || data.label?.color || data.value || 'without a name'
  const body = quoteMarkdown(data.text ?? data.action?.text)
  switch (given.type) {
    case 'createCard':
      return md`created ${it}`
    case 'updateCard':
      // An update sets the first due date without an old value.
      if (data.card?.due && Object.keys(data.old ?? {}).length === 0 && data.old)
        return md`set the due date of ${it} to ${time(data.card.due)}`
      return cardUpdate(given)
    case 'deleteCard':
      return md`deleted a card${data.list?.name && md` of ${data.list.name}`}`
    case 'addMemberToCard':
      return md`added ${person} to ${it}`
    case 'removeMemberFromCard':
      return md`removed ${person} from ${it}`
    case 'addLabelToCard':
      return md`added the label ${label} to ${it}`
    case 'removeLabelFromCard':
      return md`removed the label ${label} from ${it}`
    case 'commentCard':
      return paragraphs(md`commented on ${it}:`, body)
    case 'updateComment':
      return paragraphs(md`edited a comment on ${it}:`, body)
    case 'addAttachmentToCard':
      return md`attached ${link(data.attachment?.name ?? 'a file', data.attachment?.url)} to ${it}`
    case 'addChecklistToCard':
      return md`added the checklist ${data.checklist?.name ?? ''} to ${it}`
    case 'updateCheckItemStateOnCard':
      return md`${data.checkItem?.state === 'complete' ? 'checked' : 'unchecked'} ${bold(data.checkItem?.name ?? 'an item')} of ${bold(data.checklist?.name ?? 'a checklist')} on ${it}`
    case 'removeChecklistFromCard':
      return md`removed the checklist ${data.checklist?.name ?? ''} from ${it}`
    case 'deleteAttachmentFromCard':
      return md`removed ${data.attachment?.name ?? 'a file'} from ${it}`
    case 'moveCardToBoard':
      return md`moved ${it} to ${board}`
    case 'moveCardFromBoard':
      return md`moved ${it} to another board`
    case 'createList':
      return md`added the list ${data.list?.name ?? ''} to ${board}`
    case 'addMemberToBoard':
      return md`added ${person} to ${board}`
    case 'removeMemberFromBoard':
      return md`removed ${person} from ${board}`
    case 'updateBoard': {
      const old = data.old?.['name']
      return typeof old === 'string' ? md`renamed the board from ${old} to ${board}` : null
    }
    default:
      return undefined
  }
}

/** Frequent actions that nobody needs to know. */
const IGNORED = ['copyCard', 'createCheckItem', 'updateCheckItem', 'updateList']

const describeDelivery = on(z.object({ action }), ({ action: given }) => {
  const what = describe(given)
  if (what === undefined) return unknownEvent(given.type)
  if (what === null) return null
  const isLong = typeof what === 'object' && 'markdown' in what && what.markdown.includes('\n')
  return {
    event: given.type,
    topic: given.data.board?.name ?? 'Trello',
    content: md`${given.memberCreator?.fullName ?? 'Someone'} ${what}${isLong ? '' : '.'}`,
  }
})

export const trello = integration({
  name: 'trello',
  title: 'Trello',
  category: 'Project management',
  summary: 'Cards, lists, checklists',
  logo: { letter: 'T', color: '#0079bf' },
  steps: [
    'Create an API key and a token at https://trello.com/power-ups/admin.',
    'Find the id of your board: open the board with `.json` at the end of its address, and look for `id`.',
    `Register the URL with the key, the token and the id:

\`\`\`sh
curl 'https://api.trello.com/1/tokens/TOKEN/webhooks/?key=KEY' \\
  --data-urlencode 'callbackURL=URL' --data-urlencode 'idModel=ID'
\`\`\``,
  ],
  sample: {
    payload: {
      action: {
        type: 'createCard',
        memberCreator: { fullName: 'Ada' },
        data: {
          board: { name: 'Maps', shortLink: 'abc', url: 'https://trello.com/b/abc' },
          list: { name: 'To do' },
          card: { name: 'Draw maps without gaps', shortLink: 'def', idShort: 42 },
        },
      },
      model: { name: 'Maps', shortUrl: 'https://trello.com/b/abc' },
    },
  },
  handle: (payload, request) => {
    const kind = z.object({ action: z.object({ type: z.string() }) }).safeParse(payload).data?.action.type
    return kind !== undefined && IGNORED.includes(kind) ? null : describeDelivery(payload, request)
  },
})

import type { SearchOperator } from '../../../store/messages/search-query.ts'
import { t } from '../../../text/t.ts'

/** An operand of an operator that accepts only a few fixed operands. */
type Choice = { readonly value: string; readonly hint: string }

/** The operators that accept only a few fixed operands. */
export type ChoiceOperator = 'has' | 'is' | 'in' | 'channels'

export const CHOICES: Readonly<Record<ChoiceOperator, readonly Choice[]>> = {
  has: [
    { value: 'link', hint: t('Messages with a link') },
    { value: 'image', hint: t('Messages with an image') },
    { value: 'attachment', hint: t('Messages with an uploaded file') },
    { value: 'reaction', hint: t('Messages with a reaction') },
  ],
  is: [
    { value: 'unread', hint: t('Messages that you haven’t read') },
    { value: 'starred', hint: t('Messages that you starred') },
    { value: 'mentioned', hint: t('Messages that mention you') },
    { value: 'alerted', hint: t('Messages with one of your alert words') },
    { value: 'dm', hint: t('Direct messages') },
    { value: 'followed', hint: t('Topics that you follow') },
    { value: 'resolved', hint: t('Resolved topics') },
    { value: 'muted', hint: t('Muted channels and topics') },
  ],
  in: [
    { value: 'home', hint: t('Everything that you haven’t muted') },
    { value: 'all', hint: t('Everything, including what you muted') },
  ],
  channels: [
    { value: 'public', hint: t('All public channels, including those you haven’t joined') },
    { value: 'web-public', hint: t('Web-public channels') },
  ],
}

/** The operators with their hints, in the order in which they are suggested. */
export const OPERATOR_HINTS: readonly { readonly operator: Exclude<SearchOperator, 'not'>; readonly hint: string }[] = [
  { operator: 'from', hint: t('Sent by a person') },
  { operator: 'channel', hint: t('In a channel') },
  { operator: 'topic', hint: t('In a topic') },
  { operator: 'dm', hint: t('Direct messages with a person') },
  { operator: 'has', hint: t('With a link, image, file or reaction') },
  { operator: 'is', hint: t('Unread, starred, mentioned, resolved…') },
  { operator: 'after', hint: t('Sent on or after a date') },
  { operator: 'before', hint: t('Sent before a date') },
  { operator: 'dm-including', hint: t('Direct and group messages that include a person') },
  { operator: 'in', hint: t('Include or exclude muted conversations') },
  { operator: 'channels', hint: t('In all public channels') },
  { operator: 'near', hint: t('Results around a message ID') },
  { operator: 'id', hint: t('A single message, by ID') },
  { operator: 'with', hint: t('The conversation of a message, by ID') },
]

/** Returns true if the operator accepts only a few fixed operands. */
export const isChoiceOperator = (operator: SearchOperator): operator is ChoiceOperator =>
  Object.hasOwn(CHOICES, operator)

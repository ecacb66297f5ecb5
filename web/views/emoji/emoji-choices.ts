import type { QueryClient } from '@tanstack/react-query'
import { loadPart } from '../../store/load-part.ts'
import type { Organization } from '../../store/organization.ts'
import type { EmojiDetails } from './emoji-details.ts'
import { type EmojiChoice, toEmojiChoices, unicodeNames } from './emoji-table.ts'

let built: { names: object; own: Organization['realm_emoji']; details: EmojiDetails; choices: EmojiChoice[] } | null =
  null

/** Loads all emoji with their keywords and skin tones. Rejects with `ApiError` or `NotLoadedError`. */
export async function loadEmojiChoices(
  client: QueryClient,
  { realm_emoji }: Pick<Organization, 'realm_emoji'>,
): Promise<EmojiChoice[]> {
  const [names, details] = await Promise.all([client.ensureQueryData(unicodeNames), loadDetails()])
  if (built?.names === names && built.own === realm_emoji && built.details === details) return built.choices
  const choices = toEmojiChoices(names, realm_emoji, details)
  built = { names, own: realm_emoji, details, choices }
  return choices
}

const loadDetails = () => loadPart(() => import('./emoji-details.ts')).then(({ emojiDetails }) => emojiDetails())

import { queryClient } from '../../../store/query-client.ts'
import { loadEmojiChoices } from '../../emoji/emoji-choices.ts'
import { suggestChannels, suggestTopicLinks } from './channel-suggestions.tsx'
import type { CompletionContext } from './completion-context.ts'
import { suggestEmoji } from './emoji-suggestions.tsx'
import type { Token } from './find-token.ts'
import { suggestMentions } from './mention-suggestions.tsx'
import { suggestCommands, suggestLanguages, suggestTime } from './other-suggestions.tsx'
import type { Suggestion } from './suggestion.ts'

/** Returns the suggestions for the token. Returns a promise only if something must be loaded first. */
export function complete(token: Token, context: CompletionContext): Suggestion[] | Promise<Suggestion[]> {
  const { organization } = context
  switch (token.kind) {
    case 'mention':
      return suggestMentions(token.query, token.isSilent, context)
    case 'channel':
      return suggestChannels(token.query, organization)
    case 'topic':
      return suggestTopicLinks(token.channel, token.query, organization)
    case 'emoji':
      return loadEmojiChoices(queryClient, organization).then((emoji) =>
        suggestEmoji(token.query, emoji, organization.user_id),
      )
    case 'command':
      return suggestCommands(token.query)
    case 'language':
      return suggestLanguages(
        token.query,
        organization.realm_playgrounds.map(({ pygments_language }) => pygments_language),
      )
    case 'time':
      return suggestTime()
  }
}

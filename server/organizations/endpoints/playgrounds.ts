import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { mustBeAdministrator } from '#people/users/access.ts'
import { limitedText } from '#realms/settings.ts'
import * as playgrounds from '../change-playgrounds.ts'

const filledText = (limit: number) => limitedText(limit, z.string().trim().min(1))

export const addPlaygroundEndpoint = endpoint({
  route: 'POST /realm/playgrounds',
  summary: 'Add a code playground',
  who: 'user',
  params: {
    name: filledText(100),
    url_template: filledText(1000).describe('An RFC 6570 URI template: `https://example.com/run?code={code}`.'),
    pygments_language: filledText(40).describe('The language, usually by its Pygments name.'),
  },
  returns: { id: z.int() },
  refuses: [
    mustBeAdministrator,
    playgrounds.badLanguage,
    playgrounds.badPlaygroundTemplate,
    playgrounds.templateWithoutCode,
    playgrounds.templateWithMore,
    playgrounds.playgroundExists,
  ],
  async handle({ transaction, actor }, { name, pygments_language: language, url_template: urlTemplate }) {
    return { id: await transaction((tx) => playgrounds.addPlayground(tx, actor, { name, language, urlTemplate })) }
  },
})

export const removePlaygroundEndpoint = endpoint({
  route: 'DELETE /realm/playgrounds/{playground_id}',
  summary: 'Remove a code playground',
  who: 'user',
  refuses: [mustBeAdministrator, playgrounds.noSuchPlayground],
  async handle({ transaction, actor }, { playground_id }) {
    await transaction((tx) => playgrounds.removePlayground(tx, actor, playground_id))
    return {}
  },
})

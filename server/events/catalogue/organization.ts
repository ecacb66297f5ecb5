import { z } from 'zod'
import { profileFieldJson } from '#people/profile-fields.ts'
import { domainJson } from '#realms/domains.ts'
import { emojiJson } from '#realms/emoji.ts'
import { linkifierJson } from '#realms/linkifiers.ts'
import { playgroundJson } from '#realms/playgrounds.ts'
import { realmPictureKinds } from '#realms/realm.ts'
import { dataExportJson } from '#transfer/data-exports.ts'
import { event } from './event.ts'

const everyone = 'All users.'

const setting = () => ({ property: z.string(), value: z.unknown() })

const domain = () => ({ realm_domain: z.strictObject(domainJson.shape) })

export const organizationEvents = {
  'realm/update': event({
    description: 'A setting of the organization changed.',
    audience: everyone,
    clients: 'Clients without the capability `parley_extensions` do not receive settings that only this server has.',
    fields: setting,
    example: { property: 'name', value: 'Analytical Engines' },
  }),
  'realm/update_dict': event({
    description: 'Settings of the organization changed, or its icon or one of its logos.',
    audience: everyone,
    clients: 'Clients without the capability `parley_extensions` do not receive settings that only this server has.',
    fields: () => ({ property: z.enum(['default', ...realmPictureKinds]), data: z.record(z.string(), z.unknown()) }),
    example: { property: 'default', data: { invite_required: true } },
  }),
  'realm/deactivated': event({
    description: 'The organization was deactivated.',
    audience: everyone,
    fields: () => ({ realm_id: z.int() }),
    example: { realm_id: 2 },
  }),
  'realm_domains/add': event({
    description: 'Email addresses of a domain were allowed.',
    audience: everyone,
    fields: domain,
    example: { realm_domain: { domain: 'example.com', allow_subdomains: false } },
  }),
  'realm_domains/change': event({
    description: 'The subdomains of an allowed domain were allowed or disallowed.',
    audience: everyone,
    fields: domain,
    example: { realm_domain: { domain: 'example.com', allow_subdomains: true } },
  }),
  'realm_domains/remove': event({
    description: 'A domain is no longer allowed.',
    audience: everyone,
    fields: () => ({ domain: z.string() }),
    example: { domain: 'example.com' },
  }),
  'realm_emoji/update': event({
    description: 'Custom emoji were added or deactivated. The event lists all of them.',
    audience: everyone,
    fields: () => ({ realm_emoji: z.record(z.string(), z.strictObject(emojiJson.shape)) }),
    example: {
      realm_emoji: {
        5: {
          id: '5',
          name: 'parley',
          source_url: '/user_avatars/2/emoji/images/5.png',
          still_url: null,
          deactivated: false,
          author_id: 10,
        },
      },
    },
  }),
  realm_export: event({
    description: 'An export was requested, finished, failed or deleted. The event lists all exports.',
    audience: 'Administrators.',
    clients: 'Clients without the capability `parley_extensions` do not receive `size`.',
    fields: () => ({ exports: z.array(z.strictObject(dataExportJson.shape)) }),
    example: {
      exports: [
        {
          id: 107,
          acting_user_id: 10,
          export_time: 1893837600.5,
          deleted_timestamp: null,
          failed_timestamp: null,
          export_url: null,
          pending: true,
          export_type: 1,
          size: null,
        },
      ],
    },
  }),
  realm_linkifiers: event({
    description: 'Linkifiers changed. The event lists all of them.',
    audience: everyone,
    clients: 'Clients without the capability `linkifier_url_template` do not receive it.',
    fields: () => ({ realm_linkifiers: z.array(z.strictObject(linkifierJson.shape)) }),
    example: { realm_linkifiers: [{ id: 3, pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' }] },
  }),
  realm_playgrounds: event({
    description: 'Code playgrounds changed. The event lists all of them.',
    audience: everyone,
    fields: () => ({ realm_playgrounds: z.array(playgroundJson) }),
    example: {
      realm_playgrounds: [
        { id: 1, name: 'Python', pygments_language: 'Python', url_template: 'https://example.com/{code}' },
      ],
    },
  }),
  'realm_user_settings_defaults/update': event({
    description: 'A default for the settings of new users changed.',
    audience: everyone,
    clients: 'Clients without the capability `parley_extensions` do not receive settings that only this server has.',
    fields: setting,
    example: { property: 'twenty_four_hour_time', value: true },
  }),
  custom_profile_fields: event({
    description: 'Custom profile fields changed. The event lists all of them.',
    audience: everyone,
    fields: () => ({ fields: z.array(profileFieldJson) }),
    example: {
      fields: [
        {
          id: 1,
          name: 'Phone number',
          type: 1,
          hint: '',
          field_data: '',
          order: 1,
          required: false,
          editable_by_user: true,
        },
      ],
    },
  }),
} as const

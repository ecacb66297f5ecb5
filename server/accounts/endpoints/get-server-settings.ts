import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { externalMethodsJson, findSignInMethods, takesPasswords } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { FEATURE_LEVEL, PROTOCOL_VERSION } from '#lib/protocol.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { realmAddress, realmPictureUrl } from '#realms/realm.ts'

export const noOrganizationAtAddress = refusal(
  'NONEXISTENT_SUBDOMAIN',
  404,
  'There is no organization at this address. Ask the operator of the server for the right one.',
)

/** All login methods that clients know. */
const authenticationMethods = {
  password: false,
  dev: false,
  email: false,
  ldap: false,
  remoteuser: false,
  github: false,
  azuread: false,
  gitlab: false,
  apple: false,
  google: false,
  saml: false,
  'openid connect': false,
}

const methodTypes = Object.fromEntries(Object.keys(authenticationMethods).map((name) => [name, z.boolean()])) as Record<
  keyof typeof authenticationMethods,
  z.ZodBoolean
>

export const getServerSettings = endpoint({
  route: 'GET /server_settings',
  summary: 'Get the server settings',
  description:
    'The data that clients need before login: the version of the server, and the organization at this address.',
  who: 'anyone',
  returns: {
    authentication_methods: z.object(methodTypes),
    external_authentication_methods: z
      .array(
        z.strictObject({
          name: z.string(),
          display_name: z.string().describe('The name of the service, as in “Continue with …”.'),
          display_icon: z.string().nullable().describe('Always null.'),
          login_url: z.string().describe("Relative to the organization's URL. Apps add `mobile_flow_otp`."),
          signup_url: z.string(),
        }),
      )
      .describe('The other services with which people can sign in, in the order of the buttons.'),
    zulip_feature_level: z.int(),
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    push_notifications_enabled: z.boolean(),
    is_incompatible: z.boolean(),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    realm_uri: z.string(),
    realm_url: z.string(),
    realm_name: z.string(),
    realm_icon: z.string(),
    realm_description: z.string().describe('HTML.'),
    realm_web_public_access_enabled: z.boolean(),
  },
  refuses: [noOrganizationAtAddress],
  async handle({ db, realm, settings }) {
    if (realm === null) throw noOrganizationAtAddress()
    const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
    const methods = await findSignInMethods(db, realm)
    const { isPasswordEnabled, isDirectoryEnabled } = methods
    const names = methods.external.filter(({ isEnabled }) => isEnabled).map(({ serverName }) => [serverName, true])
    return {
      authentication_methods: {
        ...authenticationMethods,
        password: takesPasswords(methods),
        email: isPasswordEnabled,
        ldap: isDirectoryEnabled,
        ...Object.fromEntries(names),
      },
      external_authentication_methods: externalMethodsJson(methods),
      zulip_feature_level: FEATURE_LEVEL,
      zulip_version: PROTOCOL_VERSION,
      zulip_merge_base: PROTOCOL_VERSION,
      push_notifications_enabled: settings.PUSH_SERVICE_URL !== '',
      is_incompatible: false,
      email_auth_enabled: isPasswordEnabled,
      require_email_format_usernames: !isDirectoryEnabled,
      realm_uri: url,
      realm_url: url,
      realm_name: realm.name,
      realm_icon: realmPictureUrl(realm, 'icon'),
      realm_description: renderMarkdown(realm.settings.description, { ...emptyScope, realmUrls: [url] }).html,
      realm_web_public_access_enabled: realm.settings.enable_spectator_access,
    }
  },
})

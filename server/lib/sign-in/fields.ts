import { z } from 'zod'

// The fields that several kinds of methods have in the file of the operator.

/** The roles that a group of a provider can give. */
export const signInRoles = ['guest', 'member', 'moderator', 'administrator', 'owner'] as const

const MAX_MAPPINGS = 200

/** A mapping from names at the provider to values of this server. */
export const mapping = <Type extends z.ZodType>(target: Type) =>
  z
    .record(z.string().min(1).max(200), target)
    .refine((given) => Object.keys(given).length <= MAX_MAPPINGS, `must have at most ${MAX_MAPPINGS} entries`)

export const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(1000)

/** The name of a method on its button. */
export const buttonName = z.string().trim().min(1).max(40).describe('The name on the button: “Continue with …”.')

export const groupMapping = mapping(z.string().max(100)).describe(
  "User groups by the provider's groups. At each sign-in, people join and leave exactly the user groups that are named here.",
)

export const roleMapping = mapping(z.enum(signInRoles)).describe(
  "Roles by the provider's groups; the highest one counts.",
)

/** The id of a method, which no other method in the file has. */
export const methodId = z
  .string()
  .regex(/^(?!own-)[a-z0-9][a-z0-9-]{0,29}$/, 'must be lower-case letters, digits and hyphens')

export const organizations = z
  .array(z.string())
  .optional()
  .describe(
    'The subdomains of the organizations that offer it; the root organization is the empty string. All if omitted.',
  )

/** The surroundings of the file while it is read. */
export type FileContext = {
  environment: Readonly<Record<string, string | undefined>>
  /** The folder in which the file is. */
  folder: string
  /** Adds a problem of the file, which must not contain a value of it. */
  complain(problem: string): void
}

/**
 * Returns a secret that is in the file or in an environment variable. Complains and returns '' if there is none. `field`
 * is the name of the field in the file; the one with the name of the variable is `field` with `_env`.
 */
export function readSecret(
  { environment, complain }: FileContext,
  {
    id,
    field,
    value,
    variable,
  }: { id: string; field: string; value: string | undefined; variable: string | undefined },
): string {
  const secret = value ?? (variable === undefined ? '' : (environment[variable] ?? ''))
  if (secret === '')
    complain(
      variable === undefined
        ? `${id}: needs ${field} or ${field}_env`
        : `${id}: the environment variable ${variable} is not set`,
    )
  return secret
}

import type { z } from 'zod'
import type { Api } from '#api.ts'

/** A route of the API, such as `GET /messages`. */
export type Route = keyof Api

type Types = Readonly<Record<string, z.ZodType>>

type OptionalNames<Each extends Types> = {
  [Name in keyof Each]: undefined extends z.input<Each[Name]> ? Name : never
}[keyof Each]

type Input<Each extends Types> = { [Name in Exclude<keyof Each, OptionalNames<Each>>]: z.input<Each[Name]> } & {
  [Name in OptionalNames<Each>]?: z.input<Each[Name]>
}

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** The parameters of a route, including the parameters in its path. */
export type ParamsOf<R extends Route> = Input<Api[R]['params']> & { [Name in PathNames<R>]: string | number }

/** The response of a route, as the server declares it. */
export type AnswerOf<R extends Route> = Input<Api[R]['returns']>

/** What assertions of all libraries say, by the names of their functions and matchers. */

/** How a subject is checked. */
export type Relation =
  | 'equal'
  | 'true'
  | 'null'
  | 'contains'
  | 'matches'
  | 'type'
  | 'near'
  | 'greater'
  | 'less'
  | 'throws'
  | 'length'
  | 'empty'
  | 'partial'
  | 'called'
  | 'calledWith'
  | 'truthy'
  | 'present'
  | 'fails'
  | 'snapshot'
  | 'finishes'
  /** A helper that is not at hand, or a condition that only holds or does not. */
  | 'holds';

const NAMES: Readonly<Record<Relation, string>> = {
  equal:
    'be equal equals eq eql equalto is equalityof same sameas sameinstance deepequal deepequals strictequal strictequals deepstrictequal strictsame deepequality exactly identical countequal listequal dictequal setequal tupleequal sequenceequal multilineequal arrayequal arrayequals iterableequals linesmatch equalvalues jsoneq yamleq elementsmatch deeplyequal eqeq deepequalinany containsexactly containsexactlyinanyorder exactlyinanyorder matcharray containexactly instanceidentical framequal seriesequal equalcanonicalizing equalswithdelta equivalent equivalentto consistof haveattribute property value values text textcontent content attribute code status redirected redirectedto redirects jsonequals jsonstringequalsjsonstring xmlstringequalsxmlstring fileequals stringequalsfile inlinesnapshot matchinlinesnapshot throwerrormatchinginlinesnapshot numqueries templateused valid',
  true: 'true',
  null: 'null none nil undefined absent',
  contains:
    'in contain contains containequal containsequal include includes stringcontainsstring subset subsetof startwith startswith startingwith endwith endswith endingwith substring oneof memberof containsstring hasitem hasitems item hasentry entry key keys member containsentry containskey stringcontaining arraycontaining containskeys arrayhaskey deepcontain deepinclude attr class cssclass style',
  matches:
    'match matches regex notregex regexp matchesregularexpression matchesregex matchespattern stringmatching like matchespredicate',
  type: 'isinstance instanceof instanceofany type typeof a an kindof respondto implements anyof ofclass error_type instance any hastype exactlyinstanceof string array bool object number function callable iterable numeric int float scalar',
  near: 'closeto approximately almostequal indelta inepsilon allclose relativeeq absdiffeq arrayalmostequal withindelta within ulpseq isclose approx approxequal becloseto equalswithepsilon withinpercentage closetoof offset withprecision',
  greater:
    'greater greaterequal greaterthan greaterthanorequal greaterthanorequalto greaterorequal above atleast gt gte ge afterdate positive isafter',
  less: 'less lessequal lessthan lessthanorequal lessthanorequalto lessorequal below atmost lt lte le isbefore negative',
  throws:
    'throw throws throwerror throwsasync rejects raises raise raiseserror raiseexception raisesregex raisesmessage raiseerror warns warnsregex logs throwsexactly throwsexception panics panicswithvalue panicswitherror error errorcontains erroris erroras eqerror expectexception expectexceptionmessage haserroroccurred haveoccurred matcherror isinstanceofexception thrownby thatthrownby thatexceptionoftype thatcode thatillegalargumentexception occurred exception throwmatching throwssymbol',
  length: 'len length lengthof count size hassize countof linecount sizeof sameelementsas exactlycount',
  empty: 'empty blank zero',
  partial:
    'matchobject objectcontaining deepinclude partialdeepequal dictcontainssubset subtree usingrecursivecomparison samepropertyvaluesas matchsnapshotpartial extracting',
  called:
    'called calledonce calledtimes calledoncewithnothing callcount numberofcalls havebeencalled havebeencalledtimes havebeencalledonce anycall receive received beencalled beencalledtimes beencalledonce returned',
  calledWith:
    'calledwith calledoncewith havebeencalledwith havebeenlastcalledwith havebeennthcalledwith beencalledwith beenlastcalledwith beennthcalledwith beencalledoncewith lastcalledwith nthcalledwith hascalls calledwithexactly calledoncewithexactly returnedwith awaitedwith awaitedoncewith calledwithmatch havereturnedwith',
  truthy: 'truthy ok true_ assertion',
  present:
    'defined exist exists some present notnull attached inthedocument visible notempty something anything successful exists_',
  fails: 'fail failnow failed unreachable',
  snapshot:
    'snapshot matchsnapshot matchfilesnapshot matchimagesnapshot screenshot throwerrormatchingsnapshot matchestemplate',
  finishes:
    'noerror nothrow notthrow notthrows doesnotthrow doesnotreject nothingraised notpanics notthrowsasync noexception',
  holds:
    'satisfy satisfies satisfiesanyof eventually haveproperty property allsatisfy allmatch anysatisfy anymatch nonematch',
};

const RELATIONS: ReadonlyMap<string, Relation> = new Map(
  (Object.entries(NAMES) as [Relation, string][]).flatMap(([relation, names]) =>
    names.split(' ').map((name) => [name, relation] as const),
  ),
);

/** Names that say the opposite of another. */
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    false: 'true',
    falsy: 'truthy',
    falsey: 'truthy',
    ne: 'equal',
    isnotnone: 'null',
    unequal: 'equal',
    different: 'equal',
  }),
);

export interface Said {
  relation: Relation;
  negated: boolean;
}

/** What a function or matcher of this name says; undefined for a name that no library has. */
export function relationNamed(name: string): Said | undefined {
  let rest = name.replace(/[_!?]/g, '').toLowerCase();
  let negated = false;
  for (let round = 0; round < 6 && rest !== ''; round++) {
    const relation = RELATIONS.get(rest);
    if (relation) return { relation, negated };
    const opposite = OPPOSITES.get(rest);
    if (opposite) return { relation: RELATIONS.get(opposite) ?? 'holds', negated: !negated };
    const [prefix] =
      /^(?:doesnot|doesnt|not|refute|no(?=[a-z]{4})|assert|debugassert|propassert|check|expect|to|is|be|has|have|should|must|that|deeply|all|does)/.exec(
        rest,
      ) ?? [];
    if (prefix === undefined) return undefined;
    if (/^(?:doesnot|doesnt|not|no|refute)$/.test(prefix)) negated = !negated;
    rest = rest.slice(prefix.length);
  }
  return undefined;
}

/** How much a relation tells of its subject, from nothing to everything. */
const RANKS: Readonly<Record<Relation, number>> = {
  finishes: 1,
  present: 2,
  truthy: 3,
  type: 3,
  contains: 4,
  matches: 4,
  greater: 4,
  less: 4,
  partial: 4,
  called: 4,
  near: 4.5,
  length: 4,
  empty: 4.5,
  snapshot: 4,
  throws: 4.5,
  holds: 5,
  equal: 5,
  true: 5,
  null: 5,
  calledWith: 5,
  fails: 5,
};

const NEGATED_RANKS: Readonly<Partial<Record<Relation, number>>> = {
  equal: 2.5,
  null: 2,
  true: 5,
  truthy: 4.5,
  present: 4.5,
  empty: 2.5,
  throws: 1,
  type: 2.5,
  contains: 3.5,
  matches: 3.5,
  called: 5,
  calledWith: 3.5,
};

export function rankOf({ relation, negated }: Said): number {
  return (negated ? NEGATED_RANKS[relation] : undefined) ?? RANKS[relation];
}

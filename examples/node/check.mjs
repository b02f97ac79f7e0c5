// Checks a request against the contract before it is sent: proto-loader drops fields that it does not know, makes numbers
// of a wrong size fit, and reads a text that names no value as 0.

const INTEGERS = {
  TYPE_INT32: [-(2n ** 31n), 2n ** 31n - 1n],
  TYPE_INT64: [-(2n ** 63n), 2n ** 63n - 1n],
  TYPE_UINT32: [0n, 2n ** 32n - 1n],
  TYPE_UINT64: [0n, 2n ** 64n - 1n],
};

// A request that was not sent; `faults` has the field and a sentence for each thing wrong with it.
export class InvalidRequest extends Error {
  constructor(faults) {
    super(faults.map(({ field, description }) => `${field}: ${description}`).join('; '));
    this.name = 'InvalidRequest';
    this.faults = faults;
  }
}

// Returns what throws InvalidRequest with every fault of a request of a method; `definition` comes from proto-loader.
export function checkerOf(definition) {
  const types = new Map(Object.entries(definition).map(([name, entry]) => [name.split('.').pop(), entry.type]));
  return (method, request) => {
    const faults = [];
    checkMessage(request, method.requestType.type, '', types, faults);
    if (faults.length) throw new InvalidRequest(faults);
  };
}

function checkMessage(value, type, path, types, faults) {
  const tell = (field, description) => faults.push({ field: field || 'request', description });
  if (typeof value !== 'object' || Array.isArray(value)) return tell(path, `${shown(value)} is no object: give one`);
  const fields = new Map(type.field.map((field) => [field.name, field]));
  const groups = new Set(type.oneofDecl.map(({ name }) => name)); // answers name what they hold, and may be sent back
  for (const [name, item] of Object.entries(value)) {
    const at = path ? `${path}.${name}` : name;
    const field = fields.get(name);
    if (item === undefined || item === null || (!field && groups.has(name))) continue;
    if (!field) {
      tell(at, `there is no such field: give one of ${[...fields.keys()].join(', ')}`);
      continue;
    }
    const entry = type.nestedType.find((nested) => nested.name === field.typeName && nested.options?.mapEntry);
    if (entry) {
      if (typeof item !== 'object' || Array.isArray(item)) tell(at, `${shown(item)} is no object: give one`);
      else for (const [key, text] of Object.entries(item)) checkOne(text, entry.field[1], `${at}[${key}]`, types, faults);
    } else if (field.label === 'LABEL_REPEATED') {
      if (!Array.isArray(item)) tell(at, `${shown(item)} is no list: give one`);
      else item.forEach((each, index) => checkOne(each, field, `${at}[${index}]`, types, faults));
    } else {
      checkOne(item, field, at, types, faults);
    }
  }
}

function checkOne(value, field, at, types, faults) {
  const type = types.get(field.typeName.split('.').pop());
  if (field.type === 'TYPE_MESSAGE' && value !== null && value !== undefined) {
    checkMessage(value, type, at, types, faults);
    return;
  }
  const wanted = wantedInstead(value, field, type);
  if (wanted) faults.push({ field: at, description: `${shown(value)} will not do: give ${wanted}` });
}

// What to give instead of a single value; null if it will do.
function wantedInstead(value, { type }, kind) {
  if (type === 'TYPE_ENUM') {
    const names = kind.value.map(({ name }) => name);
    return names.includes(value) || kind.value.some(({ number }) => number === value) ? null : `one of ${names.join(', ')}`;
  }
  if (type === 'TYPE_STRING') return typeof value === 'string' ? null : 'a text';
  if (type === 'TYPE_BOOL') return typeof value === 'boolean' ? null : 'true or false';
  if (type in INTEGERS) {
    const [least, most] = INTEGERS[type];
    const number = wholeNumber(value);
    if (number !== null && number >= least && number <= most) return null;
    // no number that is asked with is below 0, as the service says itself
    return `a whole number from ${least < 0 ? 0 : least} to ${most}${type.endsWith('64') ? ', as a text where it is large' : ''}`;
  }
  return typeof value === 'number' && !Number.isNaN(value) ? null : 'a number';
}

// A whole number as a BigInt; null for anything else, and for a number too large to be exact. Texts are for 64 bits.
function wholeNumber(value) {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string') return /^-?\d{1,20}$/.test(value) ? BigInt(value) : null;
  return Number.isSafeInteger(value) ? BigInt(value) : null;
}

function shown(value) {
  const text = typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? 'a list' : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

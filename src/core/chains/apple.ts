/** Swift and Objective-C. */

export const sources = /^swift$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.(?:swift|m|mm)$/];

// Views.c - arrays of NumPy and tensors with `__dlpack__` as arguments of a compiled function. Python code
// takes longer to read a few of them than a small layer to run.
//
// The functions of CPython are declared here, not by Python.h: all are in its stable interface, so one library serves
// every version, and the build needs no headers of Python. The interpreter that loads the library defines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/tensor.h"

typedef struct _object PyObject;
typedef ptrdiff_t Py_ssize_t;
extern PyObject *PyExc_Exception, *PyExc_TypeError;
PyObject *PyUnicode_InternFromString(const char *);
PyObject *PyTuple_New(Py_ssize_t);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
PyObject *Py_BuildValue(const char *, ...);
PyObject *PyObject_GetAttr(PyObject *, PyObject *);
PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *);
PyObject *PyObject_Type(PyObject *);
int PyErr_ExceptionMatches(PyObject *);
void PyErr_Clear(void);
int PyList_Append(PyObject *, PyObject *);
int PyCapsule_IsValid(PyObject *, const char *);
void *PyCapsule_GetPointer(PyObject *, const char *);
void Py_DecRef(PyObject *);

// dlpack.h, version 1
typedef struct {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct {
  uint32_t major, minor;
  void *context, *deleter;
  uint64_t flags;
  DLTensor tensor;
} Versioned;

/// `__array_struct__` of NumPy's array interface, version 3.
typedef struct {
  int two, rank;
  char kind;
  int size, flags;
  Py_ssize_t *shape, *strides;
  void *data;
} ArrayInterface;
enum { kContiguous = 1, kNotSwapped = 0x200, kWriteable = 0x400 };

/// What the function expects of an argument. `other_code` is a second code of the same bits: unsigned integers.
typedef struct {
  int32_t dtype, written;
  const PyObject *numpy_dtype; // of bf16, which kind and size do not identify; compared only
  uint8_t code, other_code, bits;
} Expected;

static int fill(const DLTensor *source, const Expected *expected, rnnrt_tensor_t *tensor) {
  int64_t elements = 1;
  int32_t dim;
  if (source->device_type != 1 || source->lanes != 1 || source->bits != expected->bits ||
      (source->code != expected->code && source->code != expected->other_code) || source->ndim > RNNRT_MAX_RANK)
    return 0;
  for (dim = source->ndim - 1; dim >= 0; --dim) {
    int64_t size = source->shape[dim];
    if (source->strides && size > 1 && source->strides[dim] != elements)
      return 0;
    elements *= size;
    tensor->shape[dim] = size;
  }
  tensor->data = source->data ? (char *)source->data + source->byte_offset : NULL;
  tensor->dtype = expected->dtype;
  tensor->rank = source->ndim;
  return 1;
}

/// Whether an array has elements of the type: by kind and size, since equal types may be several objects.
static int has_type(PyObject *array, const ArrayInterface *source, const Expected *expected) {
  static const char kinds[] = {'i', 'u', 'f', 0, 0, 0, 'b'}; // of DLPack's codes
  static PyObject *name;
  PyObject *dtype;
  int equal;
  if (source->size * 8 != expected->bits || !(source->flags & kNotSwapped))
    return 0;
  if (expected->code < sizeof(kinds) && kinds[expected->code] &&
      (source->kind == kinds[expected->code] || source->kind == kinds[expected->other_code]))
    return 1;
  if (!name && !(name = PyUnicode_InternFromString("dtype")))
    return 0;
  dtype = PyObject_GetAttr(array, name);
  equal = dtype == expected->numpy_dtype;
  Py_DecRef(dtype);
  return equal;
}

/// The same as `fill` for an array of NumPy. Fails with 0 without an exception.
static int fill_from_array(PyObject *array, const Expected *expected, rnnrt_tensor_t *tensor) {
  static PyObject *name;
  PyObject *capsule = NULL;
  const ArrayInterface *source = NULL;
  int readable = 0, dim;
  if ((name || (name = PyUnicode_InternFromString("__array_struct__"))) && (capsule = PyObject_GetAttr(array, name)))
    source = PyCapsule_GetPointer(capsule, NULL);
  if (source && source->rank <= RNNRT_MAX_RANK && source->flags & kContiguous &&
      (!expected->written || source->flags & kWriteable) && has_type(array, source, expected)) {
    for (dim = 0; dim < source->rank; ++dim)
      tensor->shape[dim] = source->shape[dim];
    tensor->data = source->data;
    tensor->dtype = expected->dtype;
    tensor->rank = source->rank;
    readable = 1;
  }
  PyErr_Clear();
  Py_DecRef(capsule);
  return readable;
}

/// Fails with 0 for an exception that the general path raises again with its text, and with -1 for others, as an
/// interrupt.
static int failure(void) {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return -1;
  PyErr_Clear();
  return 0;
}

/// The capsule of `value`, or NULL with an exception.
static PyObject *exchange(PyObject *value) {
  static PyObject *name, *none, *version;
  static PyObject *old; // the type that refused `max_version` last
  PyObject *method, *capsule, *type;
  if (!version) {
    name = PyUnicode_InternFromString("__dlpack__");
    none = PyTuple_New(0);
    version = Py_BuildValue("{s:(ii)}", "max_version", 1, 0);
    if (!name || !none || !version)
      return NULL;
  }
  if (!(method = PyObject_GetAttr(value, name)))
    return NULL;
  type = PyObject_Type(value);
  capsule = PyObject_Call(method, none, type == old ? NULL : version);
  if (!capsule && type != old && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    if ((capsule = PyObject_Call(method, none, NULL)))
      old = type; // compared only
  }
  Py_DecRef(type);
  Py_DecRef(method);
  return capsule;
}

/// Fills `tensors` from the `count` tensors of the tuple `values`, and appends what keeps those with `__dlpack__` alive
/// to the list `owners`. `array_type` is the type of NumPy's arrays. Returns 1, or 0 if the general path must convert
/// or refuse an argument. Holds the GIL.
RNNRT_API int rnn_mlir_views(PyObject *values, PyObject *owners, PyObject *array_type, int64_t count,
                             const Expected *expected, rnnrt_tensor_t *tensors) {
  int64_t k;
  for (k = 0; k < count; ++k) {
    PyObject *value = PyTuple_GetItem(values, k), *type, *capsule;
    int appended, readable;
    if (!value)
      return failure();
    type = PyObject_Type(value);
    Py_DecRef(type); // the object keeps it
    if (type == array_type) {
      if (!fill_from_array(value, &expected[k], &tensors[k]))
        return 0;
      continue;
    }
    capsule = exchange(value);
    if (!capsule)
      return failure();
    // The capsule stays unused: its destructor then frees what it holds.
    appended = PyList_Append(owners, capsule);
    Py_DecRef(capsule);
    if (appended)
      return failure();
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
      const Versioned *versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");
      readable = versioned->major == 1 && !(expected[k].written && (versioned->flags & 1)) &&
                 fill(&versioned->tensor, &expected[k], &tensors[k]);
    } else {
      const DLTensor *plain = PyCapsule_GetPointer(capsule, "dltensor");
      if (!plain)
        return failure();
      readable = fill(plain, &expected[k], &tensors[k]);
    }
    if (!readable)
      return 0;
  }
  return 1;
}
